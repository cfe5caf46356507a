/** The keys that do something. */

import { useTexts } from "./context";
import { Dialog } from "./Dialog";

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts();
  const mod = navigator.userAgent.includes("Mac") ? "⌘" : "Ctrl";
  const keys: readonly (readonly [string, string])[] = [
    ["Enter", texts.keys.send],
    ["Shift Enter", texts.keys.newLine],
    ["Alt Enter", texts.queue],
    ["Esc", texts.keys.stop],
    [`${mod} K`, texts.keys.palette],
    [`${mod} F`, texts.keys.find],
    [`${mod} Shift O`, texts.keys.newChat],
    [`${mod} /`, texts.keys.shortcuts],
  ];
  return (
    <Dialog title={texts.shortcuts} onClose={onClose}>
      <dl className="shortcuts">
        {keys.map(([key, name]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
