import { useEffect, useRef, useState } from 'react';
import { TextField } from './field.tsx';

const PATIENCE = 350;

interface WordsProps {
  label: string;
  placeholder: string;
  autoComplete?: string;
  type?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A field whose words are in the address a moment after somebody stopped typing. */
export function Words({ label, placeholder, autoComplete, type = 'text', value = '', onChange }: WordsProps) {
  const [typed, setTyped] = useState(value);
  const [told, setTold] = useState(value);
  const [seen, setSeen] = useState(value);
  // Back, forward, or a link. What we told comes back a moment later: by then somebody may have typed on.
  if (value !== seen) {
    setSeen(value);
    if (value !== told) {
      setTold(value);
      setTyped(value);
    }
  }
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    const next = typed.trim();
    if (next === told) return;
    const timer = setTimeout(() => {
      setTold(next);
      latest.current(next === '' ? undefined : next);
    }, PATIENCE);
    return () => clearTimeout(timer);
  }, [typed, told]);
  return (
    <TextField
      {...{ label, placeholder, type, autoComplete }}
      spellCheck={false}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
