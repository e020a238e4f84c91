// A line of the log, in the form that Cloud Logging understands.

export interface LogLine {
  readonly severity: 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (line: LogLine) => void;
