/** Something typed that the log does not have yet. It is kept in this browser. */

import type { Outgoing } from "../state/page";
import { useClient, useTexts } from "./context";

export function OutgoingMessage({ message }: { readonly message: Outgoing }) {
  const texts = useTexts();
  const client = useClient();
  const words = message.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [part.name ?? part.media_type])).join("\n");
  return (
    <article className="message user outgoing" aria-label={texts.you}>
      <div className="bubble" dir="auto">
        {words}
      </div>
      <div className="meta">
        {message.failure === "" ? texts.sending : texts.refused(message.failure)}
        {message.failure !== "" && (
          <button type="button" className="plain" onClick={() => void client.retry(message)}>
            {texts.retry}
          </button>
        )}
        <button type="button" className="plain" onClick={() => void client.takeBack(message)}>
          {texts.takeBack}
        </button>
      </div>
    </article>
  );
}
