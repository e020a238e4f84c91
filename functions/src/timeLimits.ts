// Every time limit of the function, in milliseconds unless the name says otherwise.

// Requests. Each limit ends before the next one, so that the innermost failure is logged.

/** How long a name server has to answer. */
export const NAME_LIMIT_MS = 1_000;
/** A call to Google that has received nothing for this long is also tried on a new connection. */
export const SILENCE_MS = 2_500;
/** The limit for getting an access token, with retries. */
export const ACCESS_TOKEN_LIMIT_MS = 7_500;
/** The limit for a lookup with all its calls. We promise callers 10 s. */
export const REQUEST_LIMIT_MS = 8_500;
/** The limit for a shutdown. It must be longer than a request, and Google Cloud kills the process after 10 s. */
export const SHUTDOWN_LIMIT_MS = 9_500;
/** Google Cloud's timeout sends a response without our JSON, so it must be the longest. */
export const PLATFORM_TIMEOUT_SECONDS = 30;

// Retries of calls to Google. Each pause is varied by up to a fifth, so that retries do not arrive together.

export const FIRST_PAUSE_MS = 100;
export const PAUSE_GROWTH = 2.5;
/** Short, because we promise that lookups succeed within 3 s of an outage's end. */
export const PAUSE_MAX_MS = 1_000;

/** How often a long response must have got more, so that a slow one cannot hold up the others. */
export const TURN_MS = 1_000;

/** A token this close to its expiry could expire before Google receives it. */
export const ACCESS_TOKEN_USABLE_MS = 10_000;
/** How long before expiry a new token is fetched. Any earlier, the metadata server would return the old one. */
export const ACCESS_TOKEN_REFRESH_MS = 5 * 60_000;

/** Google issues tokens for an hour. A longer life is a mistake that must not last. */
export const ACCESS_TOKEN_LIFE_MAX_MS = 60 * 60_000;
/** How often a token is replaced because of a refusal that may have another reason. */
export const ACCESS_TOKEN_DOUBT_MS = 60_000;

/** How often a shutdown checks for connections that became idle. */
export const SHUTDOWN_CHECK_MS = 25;
/** How long a shutdown accepts connections and waits for the rest of a request, and a refused caller has to read the response. */
export const LINGER_MS = 1_000;
/** How long a client may stop reading its response. Node notices within twice this time. */
export const STALLED_MS = 3_000;
