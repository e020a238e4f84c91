// The form for a new key: its project, which is known of a key that is rotated, and its contact.

import { useState } from 'preact/hooks';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { TextField } from '../TextField.tsx';
import type { NewKey, StoredKey } from './keyStore.ts';

interface Props {
  readonly rotated: StoredKey | undefined;
  readonly isStoring: boolean;
  readonly onSubmit: (details: NewKey) => void;
  readonly onCancel: () => void;
}

export function KeyForm({ rotated, isStoring, onSubmit, onCancel }: Props) {
  const [name, setName] = useState(rotated?.project ?? '');
  const [contact, setContact] = useState(rotated?.contact ?? '');
  const [problems, setProblems] = useState({ project: '', contact: '' });

  function submit(event: Event): void {
    event.preventDefault();
    if (isStoring) return;
    const project = parseProject(name);
    const parsedContact = parseProject(contact);
    const isContactWrong = contact.trim() !== '' && parsedContact === undefined;
    setProblems({
      project: project === undefined ? PROJECT_RULE : '',
      contact: isContactWrong ? CONTACT_RULE : '',
    });
    if (project === undefined || isContactWrong) return;
    onSubmit({
      project,
      ...(parsedContact !== undefined && { contact: parsedContact }),
      ...(rotated && { rotates: rotated.hash }),
    });
  }

  return (
    <form onSubmit={submit} aria-busy={isStoring}>
      {rotated === undefined ? (
        <TextField
          label="Project"
          help="Whom the key is for, as in “Acme DAO”. It cannot be changed later."
          value={name}
          problem={problems.project}
          isReadOnly={isStoring}
          onChange={setName}
        />
      ) : (
        <p>
          A second key is made for <bdi>{name}</bdi>. The old one stays active until you revoke it,
          so nothing stops working meanwhile.
        </p>
      )}
      <TextField
        label="Contact (optional)"
        help="Whom to write to if the key leaks, as in “security@acme.example”."
        value={contact}
        problem={problems.contact}
        isReadOnly={isStoring}
        onChange={setContact}
      />
      <div class="row actions">
        <button type="button" aria-disabled={isStoring} onClick={() => isStoring || onCancel()}>
          Cancel
        </button>
        <button type="submit" class="primary" aria-disabled={isStoring}>
          {isStoring ? 'Storing…' : 'Create key'}
        </button>
      </div>
    </form>
  );
}
