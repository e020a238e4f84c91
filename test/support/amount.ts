// How much of what is repeated: `npm run soak` sets LONG_RUN and runs all of it, each other run a tenth.

export const LONG_RUN = Boolean(process.env['LONG_RUN']);

/** @param inLongRun divisible by 10 */
export const amount = (inLongRun: number): number => (LONG_RUN ? inLongRun : inLongRun / 10);
