/** A formula. KaTeX is loaded with the first one, and builds elements by itself: no HTML is parsed. */

import { useEffect, useRef, useState } from "react";

export function Formula({ source, display }: { readonly source: string; readonly display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    let wanted = true;
    void Promise.all([import("katex"), import("katex/dist/katex.min.css")])
      .then(([{ default: katex }]) => {
        if (!wanted || place.current === null) return;
        katex.render(source, place.current, { displayMode: display, trust: false, maxExpand: 200, maxSize: 20, strict: "ignore" });
      })
      .catch(() => wanted && setFailed(source));
    return () => {
      wanted = false;
    };
  }, [source, display]);
  // KaTeX fills the empty element; where it cannot, the source is shown as it was written.
  return (
    <span className={display ? "formula display" : "formula"} data-source={source}>
      {failed === source ? <code>{source}</code> : <span ref={place} />}
    </span>
  );
}
