import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import type { Check, Finding } from './finding-types.ts'
import { runChecks, sortedFindings } from './run-checks.ts'

const noted: string[] = []
const context = {
  ports: { noteFault: (_: unknown, about: string) => void noted.push(about) },
} as unknown as ApplicationContext

const finding = (code: string, severity: Finding['severity']): Finding => ({
  code,
  severity,
  resource: { type: 'model', id: 'x' },
  message: '',
  fix: { say: '', call: null },
})
const check = (name: string, run: Check['run']): Check => ({ name, looksAt: '', run })

describe('the checks of the doctor', () => {
  const pending = Promise.withResolvers<readonly Finding[]>()
  beforeEach(() => void noted.splice(0))
  afterEach(() => pending.resolve([]))

  it('checks that fail or time out are reported as findings, and the other checks still run', async () => {
    const results = await runChecks(
      [
        check('sound', async () => []),
        check('broken', () => Promise.reject(new Error('the disk has failed'))),
        check('thrown', () => {
          throw new Error('synchronously')
        }),
        check('endless', () => pending.promise),
        check('found', async () => [finding('a', 'notice'), finding('b', 'error')]),
      ],
      context,
      5,
    )
    expect(results.map(({ state }) => state)).toEqual(['sound', 'failed', 'failed', 'failed', 'found'])
    expect(sortedFindings(results).map(({ code }) => code)).toEqual([
      'b',
      'check_failed',
      'check_failed',
      'check_failed',
      'a',
    ])
    const [broken, thrown, endless] = results.slice(1, 4).map(({ findings }) => findings[0]?.message)
    assert(broken !== undefined && endless !== undefined)
    expect(broken).toContain('The check broken could not run')
    expect(`${broken} ${thrown}`).not.toContain('disk')
    expect(endless).toContain('it took longer than 5 ms')
    expect(noted.toSorted()).toEqual(['doctor check broken failed', 'doctor check thrown failed'])
  })
})
