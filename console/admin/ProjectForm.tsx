// The form for the project of a new key; for a key that is rotated it is known.

import { useState } from 'preact/hooks';
import { PROJECT_RULE, parseProject } from '../../records/project.ts';

interface Props {
  readonly rotated: string | undefined;
  readonly isStoring: boolean;
  readonly onSubmit: (project: string) => void;
  readonly onCancel: () => void;
}

export function ProjectForm({ rotated, isStoring, onSubmit, onCancel }: Props) {
  const [text, setText] = useState(rotated ?? '');
  const [problem, setProblem] = useState('');

  function submit(event: Event): void {
    event.preventDefault();
    if (isStoring) return;
    const project = parseProject(text);
    if (project === undefined) setProblem(PROJECT_RULE);
    else onSubmit(project);
  }

  return (
    <form onSubmit={submit} aria-busy={isStoring}>
      {rotated === undefined ? (
        <>
          <label>
            Project
            <input
              value={text}
              autocomplete="off"
              readOnly={isStoring}
              aria-describedby="project-help project-problem"
              aria-invalid={problem !== ''}
              onInput={(event) => {
                setText(event.currentTarget.value);
                setProblem('');
              }}
            />
          </label>
          <p class="help" id="project-help">
            Whom the key is for, as in “Acme DAO”. It cannot be changed later.
          </p>
        </>
      ) : (
        <p>
          A second key is made for <bdi>{rotated}</bdi>. The old one stays active until you revoke
          it, so nothing stops working meanwhile.
        </p>
      )}
      <p class="problem" id="project-problem" role="alert">
        {problem}
      </p>
      <div class="actions">
        <button type="button" disabled={isStoring} onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="primary" aria-disabled={isStoring}>
          {isStoring ? 'Storing…' : 'Create key'}
        </button>
      </div>
    </form>
  );
}
