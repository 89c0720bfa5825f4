import { expect, it } from 'vitest'
import { ApiError } from '#sdk/errors.ts'
import type { UsageExportInput } from '#sdk/generated/usage.ts'
import { begun, exported, type Export } from './resume-export.ts'

const rows = ['{"id":"ur_1"}\n', '{"id":"ur_2"}\n', '{"id":"ur_3"}\n']
const to = '2026-11-20T00:00:00.000Z'

function answer(text: string, isBroken = false): Response {
  const pieces = [text]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece))
      else if (isBroken) controller.error(new TypeError('network error'))
      else controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson', 'x-export-to': to } })
}

async function run(answers: readonly (Response | Error)[], from: Export = begun({ from: '2026-11-01' })) {
  const asked: UsageExportInput[] = []
  const left = [...answers]
  let kept = from
  const told: number[] = []
  const ask = async (input: UsageExportInput): Promise<Response> => {
    asked.push(input)
    const next = left.shift()
    if (next === undefined) throw new Error('unexpected extra request')
    if (next instanceof Error) throw next
    return next
  }
  const ended = exported(from, {
    ask,
    keep: (so) => (kept = so),
    pause: async () => {},
    signal: new AbortController().signal,
    tell: ({ rows: count }) => told.push(count),
  })
  const result = await ended.then(
    async (file) => ({ text: await file.text() }),
    (error: unknown) => ({ error }),
  )
  return { ...result, asked, told, kept }
}

it('an export resumes after the last complete row, with the same range', async () => {
  const { asked, text, told } = (await run([
    answer(rows[0] + '{"id":"ur', true),
    answer(rows[1] ?? '', true),
    answer(rows[2] ?? ''),
  ])) as Awaited<ReturnType<typeof run>> & { text: string }
  expect(text).toBe(rows.join(''))
  expect(asked).toEqual([
    { from: '2026-11-01' },
    { from: '2026-11-01', to, after: 'ur_1' },
    { from: '2026-11-01', to, after: 'ur_2' },
  ])
  expect(told.at(-1)).toBe(3)
})

it('an export restarts if no row was received, and gives up after three tries at the same row', async () => {
  const broken = (): Response => answer('{"id"', true)
  const lost = await run([broken(), new TypeError('failed'), broken()])
  expect(lost.asked).toEqual(Array.from({ length: 3 }, () => ({ from: '2026-11-01' })))
  expect(lost).toHaveProperty('error')
  const first = await run([answer(rows[0] ?? '', true), broken(), broken(), broken()])
  expect(first).toHaveProperty('error')
  const again = await run([answer(rows.slice(1).join(''))], first.kept)
  expect(again).toMatchObject({ text: rows.join(''), asked: [{ from: '2026-11-01', to, after: 'ur_1' }] })
})

it('a rejected export is not retried', async () => {
  const refusal = Object.create(ApiError.prototype) as Error
  const { asked, ...ended } = await run([refusal])
  expect(asked).toHaveLength(1)
  expect(ended).toHaveProperty('error', refusal)
})
