import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles } from './generated-files.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
for (const [name, text] of Object.entries(generatedFiles())) {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
  console.log(name)
}
