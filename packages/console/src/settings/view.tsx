import { Select, Switch } from '../design/controls/field.tsx';
import { Page } from '../design/layout/page.tsx';
import { Panel } from '../design/layout/panel.tsx';
import { ModelPanel } from './model-panel.tsx';
import { changeSettings, type Theme, useSettings } from './settings.ts';
import styles from './view.module.css';

const THEMES = [
  { value: 'system', label: 'Same as the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function SettingsView() {
  const { theme, showContextHints } = useSettings();
  return (
    <Page title="Settings" about="Display settings are saved in this browser">
      <Panel title="Display" className={styles.panel}>
        <div className={styles.settings}>
          <Select
            label="Theme"
            options={THEMES}
            value={theme}
            onChange={(value) => changeSettings({ theme: value as Theme })}
          />
          <Switch
            label="Show context hints"
            hint="Labels on the results in a conversation: [transient] while a result is in the prompt, [consumed] once it has been used, [collapsed] when its summary has replaced it."
            isOn={showContextHints}
            onChange={(isOn) => changeSettings({ showContextHints: isOn })}
          />
        </div>
      </Panel>
      <ModelPanel />
    </Page>
  );
}
