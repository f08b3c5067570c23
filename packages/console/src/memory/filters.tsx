import { Select } from '../design/controls/field.tsx';
import { useAddress, useChangeAddress } from './address.ts';
import { useProjects } from './queries.ts';

/** Which project is looked at: one, or all that are open to the reader. */
export function ProjectChoice() {
  const { project = '' } = useAddress();
  const change = useChangeAddress();
  const projects = useProjects();
  const known = projects.map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = project === '' || known.some(({ value }) => value === project);
  return (
    <Select
      label="Project"
      options={[
        { value: '', label: 'Everything you can read' },
        ...known,
        ...(isKnown ? [] : [{ value: project, label: project }]),
      ]}
      value={project}
      onChange={(next) => change({ project: next || undefined })}
    />
  );
}
