import * as z from 'zod'
import type { DeviceSignIn } from '#domain/people/device-sign-ins.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import { firstIntervalSeconds } from '#domain/people/poll-pace.ts'
import { randomText } from '#domain/secrets/random-text.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { makeUserCode } from '#domain/people/user-code.ts'
import { operation } from '#operations/operation.ts'
import { Role, text } from '#operations/schemas.ts'

const livesSeconds = 600
/** Maximum number of pending codes. Fewer codes make a guess less likely to succeed. */
export const liveMax = 1_000
/** The part of that maximum for unknown sites. The rest is reserved for sites that a team has used before. */
const liveOfStrangersMax = 600

export default operation({
  id: 'deviceAuth.start',
  method: 'POST',
  path: '/v1/device-auth',
  scope: 'public',
  summary: 'Start a command-line sign-in',
  description: `The device authorization request of RFC 8628. Show \`userCode\` and \`verificationUri\` to the person, and poll with \`deviceCode\` every \`interval\` seconds. One network address starts 10 sign-ins a minute. At most ${liveMax} sign-ins wait concurrently. ${liveMax - liveOfStrangersMax} of these are reserved for networks from which a team member has signed in or a token has been used; other networks get 429 \`rate_limited\` when the rest is taken.`,
  body: z.strictObject({
    clientName: text(64)
      .optional()
      .meta({
        description: 'What the device calls itself: shown to the person, and the label of the token.',
        examples: ['tollgate on ada-laptop'],
      }),
    role: Role.optional().meta({
      description:
        'What the token is to do; when left out, `admin`. It never does more than the person who approves may.',
    }),
  }),
  output: z.object({
    deviceCode: z.string().meta({ description: 'Secret of the device, shown once.' }),
    userCode: z.string().meta({ description: 'The code for the person.', examples: ['WDJB-MJHT'] }),
    verificationUri: z.string().meta({ description: 'Where the person enters the code.' }),
    verificationUriComplete: z.string().meta({
      description: 'The same with the code in it, which the person still has to compare.',
    }),
    expiresIn: z.int().meta({ description: 'How long both codes live, in seconds.', examples: [600] }),
    interval: z.int().meta({ description: 'Least time between polls, in seconds.', examples: [5] }),
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
