/**
 * A hook for `node --import` that counts loaded code files. When the process ends, the hook writes the list to the
 * file that LOADED_FILES names.
 */
import { statSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

export interface LoadedFile {
  readonly file: string
  readonly bytes: number
}

const files: LoadedFile[] = []
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:') && url !== import.meta.url) {
      const file = fileURLToPath(url)
      files.push({ file, bytes: statSync(file).size })
    }
    return nextLoad(url, context)
  },
})

const path = process.env['LOADED_FILES']
if (path) process.on('exit', () => writeFileSync(path, JSON.stringify(files)))
