import { isJson } from '#http/openapi/zod-to-json-schema.ts'
import type { ApiModel } from '../sdk/operation-model.ts'
import { pythonName, upperFirst } from './python-names.ts'

/** Returns the operations with Python's names in their sentences: `capMicros` becomes `cap_micros`. */
export function inPythonWords(api: ApiModel): ApiModel {
  const names = new Set<string>()
  walk(api, ({ name, type }) => {
    if (typeof name === 'string' && type !== undefined) names.add(name)
  })
  const copy = structuredClone(api)
  walk(copy, (one) => {
    const { description } = one
    if (typeof description === 'string') one['description'] = sentences(description, names)
  })
  return copy
}

function sentences(text: string, names: ReadonlySet<string>): string {
  return text
    .replace(/`(\w+)`/g, (code, name: string) => {
      if (name === 'true' || name === 'false') return `\`${upperFirst(name)}\``
      return names.has(name) && /[a-z0-9][A-Z]/.test(name) ? `\`${pythonName(name)}\`` : code
    })
    .replace(/\bnull\b/g, 'None')
}

function walk(value: unknown, see: (one: Record<string, unknown>) => void): void {
  if (Array.isArray(value)) for (const one of value) walk(one, see)
  if (!isJson(value) || Array.isArray(value)) return
  see(value)
  for (const one of Object.values(value)) walk(one, see)
}
