/**
 * Caches data folders that take long to create. Each test gets a copy of a cached folder. The first test file that
 * needs a folder creates the folder, and other test files wait for it.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockOf } from '../../tools/web/build.ts'
import { newDataFolder } from './data-folder.ts'

/**
 * The name does not begin with `TOLLGATE_`, because commands that tests start reject unknown settings with that prefix.
 */
const variable = 'TEST_RUN_FOLDER'

export function setup(): () => void {
  const run = newDataFolder('run')
  process.env[variable] = run
  return () => rmSync(run, { recursive: true, force: true })
}

/**
 * Outside of a test run, the folder is created for each call.
 * @param make fills the folder, and returns facts that the folder does not contain, as JSON
 */
export async function copyOfFolder<Known>(
  to: string,
  name: string,
  make: (folder: string) => Promise<Known>,
): Promise<Known> {
  const run = process.env[variable]
  if (run === undefined) return make(to)
  const made = join(run, name)
  const known = join(made, 'known.json')
  const unlock = await lockOf(made)
  try {
    if (!existsSync(made)) {
      const making = join(run, `${name}.making`)
      rmSync(making, { recursive: true, force: true })
      mkdirSync(join(making, 'data'), { recursive: true, mode: 0o700 })
      const told = await make(join(making, 'data'))
      writeFileSync(join(making, 'known.json'), JSON.stringify(told))
      renameSync(making, made)
    }
  } finally {
    unlock()
  }
  cpSync(join(made, 'data'), to, { recursive: true })
  return JSON.parse(readFileSync(known, 'utf8')) as Known
}
