/** The document, to linters that are not ours. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import examples from '../../src/http/examples.json' with { type: 'json' }
import { operations } from '#operations/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

describe('openapi.json', () => {
  it('passes the strictest rules of @redocly/cli without a warning', async () => {
    const words = ['lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json']
    const { stdout } = await promisify(execFile)(`${root}node_modules/.bin/redocly`, words, {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    const { problems, totals }: { problems: unknown[]; totals: object } = JSON.parse(stdout)
    expect(problems).toEqual([])
    expect(totals).toMatchObject({ errors: 0, warnings: 0 })
  })

  it('has an example of every operation', () => {
    expect(Object.keys(examples).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  })
})
