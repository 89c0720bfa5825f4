import { shellWord } from '#sdk/values-as-source-code.ts'
import { typed } from './command-and-flag-names.ts'

export function inputAsFlags(name: string, value: unknown): string[] {
  const flag = `--${typed(name)}`
  if (value === null) return [`--no-${typed(name)}`]
  if (typeof value === 'boolean') return [value ? flag : `--no-${typed(name)}`]
  if (Array.isArray(value)) return value.flatMap((one) => [flag, shellWord(plain(one))])
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([inner, one]) => inputAsFlags(`${name}.${inner}`, one))
  }
  return [flag, shellWord(plain(value))]
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value)
  const isFlat = pairs.every(([, one]) => typeof one === 'string' && !one.includes(','))
  return isFlat ? pairs.map(([name, one]) => `${name}=${String(one)}`).join(',') : JSON.stringify(value)
}
