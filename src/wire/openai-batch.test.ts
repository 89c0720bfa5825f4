import { expect, test } from 'vitest'
import { linesForm, parseLines } from './openai-batch.ts'
import type { Steps } from './text/computation-with-pauses.ts'

const endpoint = '/v1/chat/completions'

function lineOf(custom_id: string, x: unknown): string {
  return JSON.stringify({ custom_id, method: 'POST', url: endpoint, body: { x } })
}

/** Runs all steps, and returns the result and the number of pauses. */
function run<Result>(steps: Steps<Result>): readonly [result: Result, pauses: number] {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next()
    if (done === true) return [value, pauses]
  }
}

test('lines of a batch file are read and written in steps, even if the file is a single long line', () => {
  const lines = [
    ...Array.from({ length: 20 }, (_, at) => lineOf(`r${at}`, 'x'.repeat(100_000))),
    lineOf(
      'long',
      Array.from({ length: 50_000 }, () => 'y'.repeat(40)),
    ),
  ]
  const [requests, pauses] = run(parseLines(`${lines.join('\n\n')}\n`, endpoint, 21))
  if ('kind' in requests) throw new Error(requests.reason)
  expect(requests.map(({ customId, params }) => `${customId} ${params.length}`)).toEqual([
    ...Array.from({ length: 20 }, (_, at) => `r${at} 100008`),
    'long 2150007',
  ])
  // A step reads at most a little more than 512 KiB.
  expect(pauses).toBeGreaterThan(4_000_000 / (512 * 1024))
  const [form, writes] = run(linesForm(requests, endpoint, 'b'))
  expect(form.body).toContain(`${lines.join('\n')}\n`)
  expect(writes).toBeGreaterThan(4)
})

test('a batch file has at least one line, and at most the maximum number of lines', () => {
  const file = `${lineOf('a', 1)}\n${lineOf('b', 1)}`
  expect(run(parseLines(file, endpoint, 2))[0]).toHaveLength(2)
  for (const wrong of [run(parseLines(file, endpoint, 1)), run(parseLines('\n \n', endpoint, 1))])
    expect(wrong[0]).toMatchObject({ param: 'input_file_id' })
})
