import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { unpackedBrowser } from '../support/open-browser.ts'

const parent = mkdtempSync(join(tmpdir(), 'tollgate-browsers-'))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

describe('unpacking the browser', () => {
  it('each of several concurrent callers gets a browser that starts, and only one unpacked copy of the browser remains', async () => {
    const started = async () => {
      const path = await unpackedBrowser(parent)
      return execFileSync(path, ['--version', '--no-sandbox'], { encoding: 'utf8' })
    }
    const versions = await Promise.all([started(), started(), started()])
    expect(versions).toEqual(Array(3).fill(expect.stringMatching(/\d+\.\d+/)))
    expect(readdirSync(parent)).toHaveLength(1)
  })
})
