/** What a person may choose for this browser. */

import { LANGUAGES } from "../locales";
import { useClient, useTexts } from "./context";
import { Dialog } from "./Dialog";
import type { Preferences } from "./preferences";

interface SettingsProps {
  readonly preferences: Preferences;
  readonly onChange: (preferences: Preferences) => void;
  readonly onClose: () => void;
}

export function Settings({ preferences, onChange, onClose }: SettingsProps) {
  const texts = useTexts();
  const client = useClient();
  const notify = async (wanted: boolean) => {
    const allowed = wanted && (await Notification.requestPermission()) === "granted";
    onChange({ ...preferences, notify: allowed });
  };
  return (
    <Dialog title={texts.settings} onClose={onClose}>
      <div className="settings">
        <label>
          {texts.theme}
          <select value={preferences.theme} onChange={(event) => onChange({ ...preferences, theme: event.target.value as Preferences["theme"] })}>
            {(["system", "light", "dark"] as const).map((theme) => (
              <option key={theme} value={theme}>
                {texts.themes[theme]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {texts.language}
          <select value={texts.code} onChange={(event) => onChange({ ...preferences, language: event.target.value })}>
            {LANGUAGES.map((each) => (
              <option key={each.code} value={each.code}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <label className="check">
          <input type="checkbox" checked={preferences.notify} onChange={(event) => void notify(event.target.checked)} />
          {texts.notifications}
        </label>
        <button type="button" className="button" onClick={() => void client.logOut()}>
          {texts.logOut}
        </button>
      </div>
    </Dialog>
  );
}
