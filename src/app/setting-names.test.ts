import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { unknownSettings } from './setting-names.ts'

const root = new URL('../../', import.meta.url)

/** A server does not start if a variable whose name begins with TOLLGATE_ is not a setting. */
it('commands of the guides and the README set no variable that a server rejects', () => {
  const guides = readdirSync(new URL('docs/guides', root)).map((name) => `docs/guides/${name}`)
  for (const path of ['README.md', ...guides]) {
    const text = readFileSync(new URL(path, root), 'utf8')
    const names = [...text.matchAll(/\bTOLLGATE_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
    expect(unknownSettings(Object.fromEntries(names.map((name) => [name, 'x']))), path).toEqual([])
  }
})
