/**
 * Proof-of-Humanity attestations
 * 1.1.0
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "https://PROJECT.web.app"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    yourPlatformsSiteAnAddressThatStaysWhenTheServiceMoves: ({ site = "PROJECT.web.app" }: {
        site: string | number | boolean;
    }) => `https://${site}`
};
export type Attestation = {
    /** The attestation type: 0 VERIFIED_HUMAN, 1 VOTED, 2 SUPPORTED_PROPOSAL, 3 RECEIVED_SHARE, 4 POLL_VOTED. The set has grown before: ignore entries of a type that you do not know. */
    attestationType: number;
    /** What the attestation is about, 32 bytes as 64 hexadecimal characters in lower case. Type 0: all zero bytes. Types 1 and 2: the bytes of the proposal account address. Type 4: the nullifier of the poll vote. */
    contextHashHex: string;
    /** `confirmed`: on-chain and mirrored. `pending`: minted locally, awaiting chain confirmation; it sets no flag and is in no number but `count`. Treat a status that you do not know as not confirmed. */
    status: string;
    /** Address of the attestation account on the chain. It is derived from the holder, the type and the context hash, so that of a type-0 attestation is the same in every lookup of one wallet and differs between wallets. */
    onChainAddress: string;
    /** When the service last brought its record in line with the chain: ISO 8601, UTC, with milliseconds. */
    syncedAt: string;
    /** When the attestation was made: ISO 8601, UTC, with milliseconds. */
    createdAt: string;
};
export type LookupResult = {
    /** The wallet that was looked up. Present in wallet mode only; absent in e-mail and token mode. */
    wallet?: string;
    /** The attestations that the subject's wallet holds, pending ones too, ordered by `createdAt`, then `onChainAddress`. Empty for a wallet that nobody has attested. */
    attestations: Attestation[];
    /** The length of `attestations`, pending ones included. */
    count: number;
    /** True when at least one attestation of type 0 is confirmed. The primary signal for humanity gating. */
    hasVerifiedHuman: boolean;
    /** True when at least one attestation of type 1 is confirmed. */
    hasVoted: boolean;
    /** Number of confirmed type-1 attestations: one per proposal. */
    votedCount: number;
    /** True when at least one attestation of type 2 is confirmed. */
    hasSupportedProposal: boolean;
    /** Number of confirmed type-2 attestations: one per proposal. */
    supportedCount: number;
};
export type ErrorBody = {
    /** One human-readable sentence. Its wording may change. */
    error: string;
    /** What programs branch on. A code never changes its meaning; others may be added: treat one that you do not know by its status. */
    code: string;
    /** The id of the request, as in the header X-Request-Id: name it when you ask for help. */
    requestId: string;
};
/**
 * Look up a subject's attestations
 */
export function lookUpAttestations({ wallet, email, token }: {
    wallet?: string;
    email?: string;
    token?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LookupResult;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 405;
        data: ErrorBody;
    } | {
        status: 429;
    } | {
        status: 500;
        data: ErrorBody;
    } | {
        status: 502;
    } | {
        status: 503;
    } | {
        status: 504;
    }>(`/pohAttestationsEndpoint${QS.query(QS.explode({
        wallet,
        email,
        token
    }))}`, {
        ...opts
    });
}
