/** Copies a text, and says so for a moment. */

import { useState } from "react";
import { useTexts } from "./context";
import { Icon } from "./icons";

const SAID_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const texts = useTexts();
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), SAID_MS);
    });
  };
  const name = copied ? texts.copied : (label ?? texts.copy);
  return (
    <button type="button" className="quiet" onClick={copy} aria-label={name} title={name}>
      <Icon name={copied ? "check" : "copy"} size={16} />
    </button>
  );
}
