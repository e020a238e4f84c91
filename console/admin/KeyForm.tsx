// The form for a new key: for whom it is, what it may do, and when it and the key that it replaces end.

import { useId, useState } from 'preact/hooks';
import { MODES, type Mode } from '../../contract/endpoint.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { FormDialog, Problem, TextField } from '../Dialog.tsx';
import { DAY_MS, formatTime } from '../times.ts';
import type { NewKey, StoredKey } from './keyStore.ts';
import { MODE_NAMES, useShared } from './shared.ts';

interface FormProps {
  readonly rotated: StoredKey | undefined;
  readonly isStoring: boolean;
  readonly onSubmit: (details: NewKey) => void;
}

/** What a mode lets a project find out. */
const REVEALS: Readonly<Record<Mode, string>> = {
  wallet: 'Shows the records of anybody whose wallet is known. Wallets are public on the chain.',
  email: 'Shows whether an address has an account here, and that person’s records.',
  token: 'Shows only the records of people who gave the project a token in the last 24 hours.',
};

const DAYS: Readonly<Record<string, number>> = { 'In 90 days': 90, 'In a year': 365 };
const AFTER_A_DATE = 'After a date';

type ChoiceProps = Readonly<Record<'name' | 'label' | 'help', string> & { isChosen?: boolean }>;

const Choice = ({ name, label, help, isChosen = true }: ChoiceProps) => (
  <label class="choice">
    <input type="checkbox" name={name} defaultChecked={isChosen} />
    <span>
      {label}
      <small>{help}</small>
    </span>
  </label>
);

/** Asks for what the key may do and for the contact, and for the project unless a key is rotated. */
export function KeyForm({ rotated, isStoring, onSubmit }: FormProps) {
  const { close, nowMs } = useShared();
  const [problems, setProblems] = useState({ project: '', contact: '', modes: '' });
  const inDays = (days: number): Date => new Date(nowMs + days * DAY_MS);
  const { expiresAt: oldEnd = Infinity } = rotated ?? {};
  const until = oldEnd < Infinity ? formatTime(oldEnd) : 'you revoke it';
  const [ends, setEnds] = useState(rotated?.expiresAt === undefined ? 'Never' : 'In a year');
  const modesProblem = useId();

  /** The end of the last day in the admin's time zone, or a number of days from now. */
  function chosenEnd(lastDay: string): Date | undefined {
    const days = DAYS[ends];
    if (ends !== AFTER_A_DATE) return days === undefined ? days : inDays(days);
    const end = new Date(`${lastDay}T00:00`);
    end.setDate(end.getDate() + 1);
    return end;
  }

  function submit(typed: (name: string) => string): void {
    const project = parseProject(rotated?.project ?? typed('project'));
    const contact = parseProject(typed('contact'));
    const modes = MODES.filter((mode) => typed(mode) === 'on');
    const expiresAt = chosenEnd(typed('lastDay'));
    const isContactWrong = typed('contact') !== '' && contact === undefined;
    const rule = typed('project') === '' ? 'Name the project that the key is for.' : PROJECT_RULE;
    setProblems({
      project: project === undefined ? rule : '',
      contact: isContactWrong ? CONTACT_RULE : '',
      modes: modes.length === 0 ? 'Choose at least one.' : '',
    });
    if (project === undefined || isContactWrong || modes.length === 0) return;
    onSubmit({
      project,
      details: {
        ...(contact !== undefined && { contact }),
        ...(modes.length < MODES.length && { modes }),
        ...(expiresAt && { expiresAt }),
        ...(rotated?.readsPerSecond !== undefined && { readsPerSecond: rotated.readsPerSecond }),
      },
      ...(rotated &&
        typed('endOld') === 'on' && { replaced: { hash: rotated.hash, end: inDays(7) } }),
    });
  }

  const project = <bdi>{rotated?.project}</bdi>;
  return (
    <FormDialog
      title={rotated ? <>Rotate the key of {project}</> : 'Create a key'}
      isBusy={isStoring}
      button={['Create key', 'Storing…', 'primary']}
      onSubmit={submit}
      onCancel={close}
    >
      {rotated ? (
        <p>
          This creates a second key for {project}. Nothing stops working now, because the old one
          works until {until}, unless you end it earlier.
        </p>
      ) : (
        <TextField
          label="Project"
          help="Who the key is for, for example “Acme DAO”. You cannot change it here later."
          name="project"
          problem={problems.project}
        />
      )}
      <TextField
        label="Contact (optional)"
        help="Who to contact if the key leaks, for example “security@acme.example”."
        name="contact"
        initial={rotated?.contact}
        problem={problems.contact}
      />
      <fieldset class="stack" aria-describedby={modesProblem}>
        <legend>May look up by</legend>
        {MODES.map((mode) => (
          <Choice
            key={mode}
            name={mode}
            label={MODE_NAMES[mode]}
            help={REVEALS[mode]}
            isChosen={rotated?.modes.includes(mode) ?? true}
          />
        ))}
        <Problem id={modesProblem} text={problems.modes} />
      </fieldset>
      <label>
        Ends
        <select value={ends} onChange={(event) => setEnds(event.currentTarget.value)}>
          {['Never', ...Object.keys(DAYS), AFTER_A_DATE].map((text) => (
            <option key={text}>{text}</option>
          ))}
        </select>
      </label>
      {ends === AFTER_A_DATE && (
        <label>
          Last day
          {/* In Swedish, dates are written as the field wants them. */}
          <input
            type="date"
            name="lastDay"
            required
            min={new Date(nowMs).toLocaleDateString('sv')}
            max="2099-12-31"
          />
        </label>
      )}
      {rotated && oldEnd > inDays(7).getTime() && (
        <Choice
          name="endOld"
          label="End the old key in a week"
          help={`Otherwise it works until ${until}.`}
        />
      )}
    </FormDialog>
  );
}
