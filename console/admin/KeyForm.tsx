// The form for a new key. It asks for the contact, and for the project unless a key is rotated.

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

const ruleFor = (name: string): string =>
  name.trim() === '' ? 'Type the project’s name.' : PROJECT_RULE;

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
      project: project === undefined ? ruleFor(name) : '',
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
          help="Who the key is for, for example “Acme DAO”. It cannot be changed later."
          value={name}
          problem={problems.project}
          isReadOnly={isStoring}
          onChange={setName}
        />
      ) : (
        <p>
          This creates a second key for <bdi>{name}</bdi>. The old one stays active until you revoke
          it, so nothing stops working.
        </p>
      )}
      <TextField
        label="Contact (optional)"
        help="Who to contact if the key leaks, for example “security@acme.example”."
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
