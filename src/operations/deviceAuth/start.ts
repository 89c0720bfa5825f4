import * as z from 'zod'
import type { DeviceSignIn } from '#domain/people/device-sign-ins.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { firstIntervalSeconds } from '#domain/people/device-poll-interval.ts'
import { randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { makeUserCode } from '#domain/people/device-sign-in-code.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Role, text } from '#operations/kernel/value-and-page-schemas.ts'

const livesSeconds = 600
/** Maximum number of pending codes. More codes would make a correct guess more likely. */
export const liveMax = 1_000
/**
 * Unknown sites (address ranges) can start a sign-in only while fewer codes than this are pending. The rest of
 * `liveMax` is reserved for sites from which a team has signed in before.
 */
const liveOfStrangersMax = 600

export default operation({
  id: 'deviceAuth.start',
  method: 'POST',
  path: '/v1/device-auth',
  scope: 'public',
  summary: 'Start a command-line sign-in',
  description: `Sends the device authorization request of RFC 8628. Show \`userCode\` and \`verificationUri\` to the member, and poll \`deviceAuth.poll\` with \`deviceCode\` every \`interval\` seconds.\n\n- Each network address can start 10 sign-ins per minute.\n- At most ${liveMax} sign-ins can be pending. While ${liveOfStrangersMax} or more are pending, a new sign-in must come from a network from which a member has signed in or a token has been used. Requests beyond these limits return 429 \`rate_limited\`.`,
  body: z.strictObject({
    clientName: text(64)
      .optional()
      .meta({
        description:
          'Name of the device. The name is shown to the member and becomes the label of the token. If omitted, the label is `Command line`.',
        examples: ['tollgate on ada-laptop'],
      }),
    role: Role.optional().meta({
      description:
        'Requested role of the token. Defaults to `admin`. The token never has a higher role than the approving member.',
    }),
  }),
  output: z.object({
    deviceCode: z.string().meta({
      description: 'Secret of the device. The secret is returned once and cannot be retrieved again.',
    }),
    userCode: z.string().meta({ description: 'Code to show to the member.', examples: ['WDJB-MJHT'] }),
    verificationUri: z.string().meta({ description: 'URL of the page where the member enters the code.' }),
    verificationUriComplete: z.string().meta({
      description:
        'URL of the page `verificationUri` with the code filled in. The member must still compare this code with the code on the device.',
    }),
    expiresIn: z
      .int()
      .meta({ description: 'Lifetime of `deviceCode` and `userCode`, in seconds.', examples: [600] }),
    interval: z.int().meta({ description: 'Minimum time between polls, in seconds.', examples: [5] }),
  }),
  guessable: 'deviceSignIn',
  answersSecret: true,
  async run({ body: { clientName = null, role = null } }, { client, nowMs, ports, store }) {
    await store.deviceSignIns.prune(nowMs)
    const isFamiliar = ports.familiarSites.organizationAt(client.address) !== null
    const roomFor = isFamiliar ? liveMax : liveOfStrangersMax
    if ((await store.deviceSignIns.liveCount(nowMs)) >= roomFor) {
      throw new Failure('rate_limited', { retryAfterSeconds: 60 })
    }
    const deviceCode = randomText(ports)
    const userCode = makeUserCode(ports)
    const signIn: DeviceSignIn = {
      id: idOf('dev', ports.newId()),
      clientName,
      askedRole: role,
      address: client.address,
      userAgent: client.userAgent,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + livesSeconds * 1000,
      decision: null,
      organizationId: null,
      memberId: null,
      role: null,
    }
    await store.deviceSignIns.insert(signIn, { device: sha256(deviceCode), user: sha256(userCode) })
    const page = new URL('/device', ports.baseUrl()).href
    return {
      deviceCode,
      userCode,
      verificationUri: page,
      verificationUriComplete: `${page}?code=${userCode}`,
      expiresIn: livesSeconds,
      interval: firstIntervalSeconds,
    }
  },
})
