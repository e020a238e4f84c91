// A log line, in Cloud Logging's structured format.

export interface LogLine {
  readonly severity: 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (line: LogLine) => void;
