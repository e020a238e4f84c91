// Scales repeated work. `npm run soak` sets LONG_RUN and does all of it, and other runs do a tenth.

export const LONG_RUN = Boolean(process.env['LONG_RUN']);

/** @param inLongRun divisible by 10 */
export const amount = (inLongRun: number): number => (LONG_RUN ? inLongRun : inLongRun / 10);
