/**
 * Proof-of-Humanity attestations
 * 1.0.0
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "https://us-central1-PROJECT.cloudfunctions.net"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    deployment: ({ project = "PROJECT" }: {
        project: string | number | boolean;
    }) => `https://us-central1-${project}.cloudfunctions.net`,
    localEmulators: "http://127.0.0.1:5001/demo-poh/us-central1"
};
export type Attestation = {
    /** The attestation type: 0 VERIFIED_HUMAN, 1 VOTED, 2 SUPPORTED_PROPOSAL, 3 RECEIVED_SHARE, 4 POLL_VOTED. The set has grown before: tolerate values that you do not know. */
    attestationType: number;
    /** What the attestation is about, 32 bytes as 64 hexadecimal characters. Type 0: all zero bytes. Types 1 and 2: the bytes of the proposal account address. Type 4: the nullifier of the poll vote. */
    contextHashHex: string;
    /** `confirmed`: on-chain and mirrored. `pending`: minted locally, awaiting chain confirmation; it sets no flag and is in no number but `count`. */
    status: "confirmed" | "pending";
    /** Address of the attestation account on the chain. It is derived from the holder, the type and the context hash, so that of a type-0 attestation is the same in every lookup of one wallet and differs between wallets. */
    onChainAddress: string;
    /** When the mirrored record was last brought in line with the chain: ISO 8601, UTC, with milliseconds. */
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
export type Error400 = {
    /** One sentence for a person. Its wording may change. */
    error: string;
    /** What programs decide on. A code never changes its meaning. */
    code: "missing_subject" | "repeated_parameter" | "invalid_wallet" | "malformed_request";
    /** The id of the request, as in the header X-Request-Id: name it when you ask for help. */
    requestId: string;
};
export type Error401 = {
    /** One sentence for a person. Its wording may change. */
    error: string;
    /** What programs decide on. A code never changes its meaning. */
    code: "unauthorized";
    /** The id of the request, as in the header X-Request-Id: name it when you ask for help. */
    requestId: string;
};
export type Error404 = {
    /** One sentence for a person. Its wording may change. */
    error: string;
    /** What programs decide on. A code never changes its meaning. */
    code: "email_not_found" | "token_not_found" | "not_found";
    /** The id of the request, as in the header X-Request-Id: name it when you ask for help. */
    requestId: string;
};
export type Error405 = {
    /** One sentence for a person. Its wording may change. */
    error: string;
    /** What programs decide on. A code never changes its meaning. */
    code: "method_not_allowed";
    /** The id of the request, as in the header X-Request-Id: name it when you ask for help. */
    requestId: string;
};
export type Error500 = {
    /** One sentence for a person. Its wording may change. */
    error: string;
    /** What programs decide on. A code never changes its meaning. */
    code: "internal";
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
        data: Error400;
    } | {
        status: 401;
        data: Error401;
    } | {
        status: 404;
        data: Error404;
    } | {
        status: 405;
        data: Error405;
    } | {
        status: 500;
        data: Error500;
    }>(`/pohAttestationsEndpoint${QS.query(QS.explode({
        wallet,
        email,
        token
    }))}`, {
        ...opts
    });
}
