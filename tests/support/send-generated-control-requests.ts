import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { openControl, type Control } from './control-plane-without-socket.ts'
import { RequestGenerator, type GeneratedRequest } from './generate-control-requests.ts'
import { randomFrom } from './seeded-random.ts'
import { commitsOf, Rehearsal } from './roll-back-each-write.ts'
import { filled, sampleOf } from './valid-request-of-every-operation.ts'

export interface Fuzzed {
  readonly answers: ReadonlyMap<string, number>
  /** Absent if none of the operation's requests was valid. */
  readonly succeeded: ReadonlyMap<string, number>
  /** In milliseconds, in ascending order. Includes the check of the response against the document. */
  readonly cpuMs: readonly number[]
}

/** In each control plane, the writes of the first requests are rolled back. */
const perWorld = 1_000
const undonePerWorld = 700

/**
 * No response may be 5xx, except for operations that the document describes as not implemented. Every response must
 * match the document. Rejected requests must write nothing.
 * @throws an error with the request and the seed
 */
export async function fuzzControl(count: number, seed: number): Promise<Fuzzed> {
  const random = randomFrom(seed)
  const answers = new Map<string, number>()
  const succeeded = new Map<string, number>()
  const cpuMs: number[] = []
  for (let sent = 0; sent < count; sent += perWorld) {
    const rehearsal = new Rehearsal()
    // oxlint-disable-next-line no-await-in-loop -- one world after the other
    const control = await openControl({ seenStore: rehearsal.seenStore })
    // oxlint-disable-next-line no-await-in-loop -- as above
    const ids = await filled(control)
    const requests = new RequestGenerator(random, (operation) => sampleOf(operation, ids))
    // oxlint-disable-next-line no-await-in-loop -- as above
    let commits = await commitsOf(control)
    for (let i = 0; i < Math.min(perWorld, count - sent); i++) {
      rehearsal.undoesNext = i < undonePerWorld
      const request = requests.next()
      // oxlint-disable-next-line no-await-in-loop -- requests of one world change it in order
      const judged = await judge(control, request, commits).catch((error: unknown) => {
        throw new Error(`request ${sent + i} of SEED=${seed}: ${shown(request)}`, { cause: error })
      })
      commits = judged.commits
      cpuMs.push(judged.cpuMs)
      answers.set(judged.answer, (answers.get(judged.answer) ?? 0) + 1)
      const { id } = request.operation
      if (judged.answer === '200') succeeded.set(id, (succeeded.get(id) ?? 0) + 1)
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await control.close()
  }
  return { answers, succeeded, cpuMs: cpuMs.toSorted((one, other) => one - other) }
}

async function judge(
  control: Control,
  { body, caller, hasToken, headers, method, path }: GeneratedRequest,
  commits: number,
): Promise<{ readonly answer: string; readonly commits: number; readonly cpuMs: number }> {
  const dumped = await everything(control)
  const before = process.threadCpuUsage()
  const answer = await control.call(method, path, {
    headers,
    ...(typeof body === 'string' && { body }),
    ...(typeof body === 'object' && { file: { type: headers['content-type'] ?? '', bytes: body } }),
    ...(hasToken ? caller : { token: null }),
  })
  const { system, user } = process.threadCpuUsage(before)
  assert.deepEqual(control.internal, [], 'the request fails on an internal error')
  assert(answer.status < 500 || answer.status === 501, `the answer is ${answer.status}: ${answer.text}`)
  const after = await commitsOf(control)
  const isRefused = answer.status !== 200
  // Some commits store no change of the request. For example, the last use of a token, or the number of a rejected
  // ledger batch.
  const isUnchanged = after === commits || dumped === (await everything(control))
  assert(!isRefused || isUnchanged, `a refused request has written: ${answer.text}`)
  const code: string = isRefused ? (answer.body?.error?.code ?? '') : ''
  return {
    answer: `${answer.status} ${code}`.trim(),
    commits: after,
    cpuMs: (user + system) / 1000,
  }
}

async function everything(control: Control): Promise<string> {
  const { rows } = await sql<{ entries: number }>`SELECT count(*) AS entries FROM audit_entries`.execute(
    control.database.read,
  )
  return `${rows[0]?.entries} ${await control.dump()}`
}

function shown({ body, headers, method, path }: GeneratedRequest): string {
  const sent = typeof body === 'string' ? body : body && Buffer.from(body).toString('latin1')
  return `${method} ${path.slice(0, 500)} ${JSON.stringify(headers)} ${JSON.stringify(sent ?? null).slice(0, 2000)}`
}
