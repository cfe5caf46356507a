/** Files and pictures of a message, as cards. A picture of ours is shown; everything else is a file to download. */

import { useEffect, useState } from "react";
import type { BlobPart } from "../state/entries";
import { useClient, useTexts } from "./context";
import { Icon } from "./icons";

const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"]);

interface AttachmentsProps {
  readonly blobs: readonly BlobPart[];
  readonly session: string;
}

export function Attachments({ blobs, session }: AttachmentsProps) {
  if (blobs.length === 0) return null;
  return (
    <div className="attachments">
      {blobs.map((blob) => (
        <Attachment key={blob.blob} blob={blob} session={session} />
      ))}
    </div>
  );
}

function Attachment({ blob, session }: { readonly blob: BlobPart; readonly session: string }) {
  const texts = useTexts();
  const address = useAddress(session, blob);
  const name = blob.name ?? blob.media_type;
  if (SHOWN.has(blob.media_type) && address !== "") {
    return (
      <a href={address} target="_blank" rel="noopener noreferrer" className="picture">
        <img src={address} alt={name} loading="lazy" />
      </a>
    );
  }
  return (
    <a className="file" href={address === "" ? undefined : address} download={name} aria-label={`${texts.download} ${name}`}>
      <Icon name="file" size={16} />
      <span dir="auto">{name}</span>
      <span className="meta">{size(blob.size)}</span>
    </a>
  );
}

/** The address of an attachment; the gateway signs it, and it ends by itself. */
function useAddress(session: string, blob: BlobPart): string {
  const client = useClient();
  const [address, setAddress] = useState("");
  useEffect(() => {
    let wanted = true;
    client.api
      .link(session, blob)
      .then((found) => {
        if (wanted) setAddress(found);
      })
      .catch(() => undefined); // without an address it is a card that leads nowhere
    return () => {
      wanted = false;
    };
  }, [client, session, blob]);
  return address;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
