import { afterAll, expect, it } from 'vitest'
import { commandLine } from '../support/run-command-line-in-process.ts'

const cli = commandLine({
  env: { TOLLGATE_BASE_URL: 'http://gateway.test', TOLLGATE_TOKEN: 'apk_1', TOLLGATE_APP: 'acme' },
})
afterAll(() => cli.close())

const streamOf = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } })
const rejection = (status: number, code: string, headers: Record<string, string>): Response =>
  Response.json({ error: { code, message: 'Too many requests.' } }, { status, headers })
const tooMany = (headers: Record<string, string>) => rejection(429, 'rate_limited', headers)

/** Sends the responses one after another, and then stops the command as Ctrl-C does. Records waits of at least a second. */
async function run(argv: readonly string[], answers: readonly (() => Response)[]) {
  const abort = new AbortController()
  const waitsMs: number[] = []
  const resumedAfter: (string | null)[] = []
  const rest = [...answers]
  const ran = await cli.run(argv, {
    signal: abort.signal,
    fetch: async (_, init) => {
      resumedAfter.push(new Headers(init?.headers).get('last-event-id'))
      const next = rest.shift()
      if (next) return next()
      abort.abort()
      throw new DOMException('stopped', 'AbortError')
    },
    clock: {
      sleep: async (ms) => {
        if (ms >= 1000) waitsMs.push(ms)
      },
    },
  })
  return { ...ran, waitsMs, resumedAfter }
}

const firstOf: Readonly<Record<string, readonly [argv: readonly string[], first: string]>> = {
  'requests tail': [['requests', 'tail'], 'id: 7\nevent: call\ndata: {"id":"req_1"}\n\n'],
  'emitters listen': [
    ['emitters', 'listen', '--forward-to', 'http://127.0.0.1:9/usage'],
    'event: listening\ndata: {"signingSecret":"whsec_1"}\n\n',
  ],
}

for (const [name, [argv, first]] of Object.entries(firstOf)) {
  it(`${name} waits as long as a 429 response requests, and then continues`, async () => {
    const { exitCode, resumedAfter, waitsMs } = await run(argv, [
      () => streamOf(first),
      () => tooMany({ 'retry-after': '90' }),
      () => tooMany({ 'retry-after-ms': '120000' }),
    ])
    expect(exitCode).toBe(0)
    expect(waitsMs).toEqual([90_000, 120_000])
    if (name === 'requests tail') expect(resumedAfter).toEqual([null, '7', '7', '7'])
  })

  it(`${name} waits as long as a 503 response requests, and at most a day`, async () => {
    const { exitCode, waitsMs } = await run(argv, [
      () => streamOf(first),
      () => rejection(503, 'store_unavailable', { 'retry-after': '300' }),
      () => rejection(503, 'store_unavailable', { 'retry-after': '9'.repeat(12) }),
    ])
    expect(exitCode).toBe(0)
    expect(waitsMs).toEqual([300_000, 86_400_000])
  })

  it(`${name} ends with an error if the first request is rejected, or if a retry can't help`, async () => {
    const rejected = await run(argv, [() => tooMany({ 'retry-after': '90' })])
    expect(rejected.exitCode).not.toBe(0)
    expect(rejected.err).toContain('Too many requests.')
    const revoked = await run(argv, [() => streamOf(first), () => rejection(401, 'unauthorized', {})])
    expect(revoked.exitCode).not.toBe(0)
  })
}
