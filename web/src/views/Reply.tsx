/** A piece of what the agent said. The same elements show it while it streams and afterwards. */

import { memo } from "react";
import type { TextRow } from "../state/thread";
import { Markdown } from "../text/Markdown";
import { Attachments } from "./Attachments";
import { useTexts } from "./context";

export const Reply = memo(
  function Reply({ row, session }: { readonly row: TextRow; readonly session: string }) {
    const texts = useTexts();
    return (
      <article className="message agent" aria-label={texts.agent}>
        <Markdown text={row.text} live={row.live} />
        <Attachments blobs={row.blobs} session={session} />
        {row.broken !== "" && <p className="meta">{texts.brokenReply[row.broken]}</p>}
      </article>
    );
  },
  (was, now) => was.row.text === now.row.text && was.row.live === now.row.live && was.row.broken === now.row.broken,
);
