/** A block of code with its language and a button to copy it. */

import { memo, useEffect, useState } from "react";
import { CopyButton } from "../views/CopyButton";
import { type CodeNode, coloured, ready } from "./highlight";

interface CodeProps {
  readonly code: string;
  readonly language: string;
  readonly live: boolean;
}

interface PieceProps {
  readonly code: string;
  readonly name: string;
  /** Grows when the colours come, so that the code is drawn again. */
  readonly loaded: number;
}

export const Code = memo(function Code({ code, language, live }: CodeProps) {
  const name = language.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
  const [loaded, setLoaded] = useState(0);
  useEffect(() => {
    let wanted = true;
    if (name !== "") {
      void ready().then((changed) => {
        if (changed && wanted) setLoaded((times) => times + 1);
      });
    }
    return () => {
      wanted = false;
    };
  }, [name]);
  return (
    <figure className="code">
      <figcaption>
        <span>{name}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{live ? <LiveCode code={code} name={name} loaded={loaded} /> : <Coloured code={code} name={name} loaded={loaded} />}</code>
      </pre>
    </figure>
  );
});

/** Code that grows: its finished lines are coloured once each time a line is added, the last one stays plain. */
function LiveCode({ code, name, loaded }: PieceProps) {
  const end = code.lastIndexOf("\n") + 1;
  return (
    <>
      <Coloured code={code.slice(0, end)} name={name} loaded={loaded} />
      {code.slice(end)}
    </>
  );
}

const Coloured = memo(function Coloured({ code, name }: PieceProps) {
  const pieces = name === "" ? null : coloured(code, name);
  return pieces === null ? code : <Pieces nodes={pieces} />;
});

function Pieces({ nodes }: { readonly nodes: readonly CodeNode[] }) {
  return nodes.map((node, index) =>
    node.children === undefined ? (
      (node.text ?? "")
    ) : (
      <span key={index} className={node.name}>
        <Pieces nodes={node.children} />
      </span>
    ),
  );
}
