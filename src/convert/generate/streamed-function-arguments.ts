import { isObject, listOf, objectOf, printValue } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/**
 * Assembles arguments that Vertex streams in pieces. Each piece contains a path in the arguments, and a value or a part
 * of an unfinished string (docs/reference/wires.md "Streams on the generate wire"). The paths arrive in any order, so
 * the arguments are complete only at the end.
 */
export class PartialArgs {
  readonly #root: Record<string, JsonValue> = {}
  /** Paths of unfinished strings. */
  readonly #open = new Set<string>()

  /** @param pieces the value of `partialArgs` in a call; invalid pieces are skipped */
  add(pieces: JsonValue): void {
    for (const piece of listOf(pieces)) {
      const { jsonPath, willContinue, ...values } = objectOf(piece)
      if (typeof jsonPath !== 'string') continue
      const steps = stepsOf(jsonPath)
      const value = valueOf(values)
      if (steps === null || value === undefined) continue
      const goesOn = this.#open.has(jsonPath)
      put(this.#root, steps, (before) =>
        goesOn && typeof before === 'string' && typeof value === 'string' ? before + value : value,
      )
      if (willContinue === true) this.#open.add(jsonPath)
      else this.#open.delete(jsonPath)
    }
  }

  get text(): string {
    return printValue(this.#root)
  }
}

function valueOf(values: JsonObject): JsonValue {
  if ('nullValue' in values) return null
  return values.stringValue ?? values.numberValue ?? values.boolValue
}

type Step = string | number

/** Null if the text is not a path such as `$.city.names[0]['a b']`, or if the path is too deep. */
function stepsOf(path: string): readonly Step[] | null {
  if (!path.startsWith('$') || path.length > pathLengthMax) return null
  const steps: Step[] = []
  let at = 1
  while (at < path.length) {
    stepPattern.lastIndex = at
    const found = stepPattern.exec(path)
    if (found === null) return null
    const { name, index, quoted } = found.groups ?? {}
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index))
    at = stepPattern.lastIndex
  }
  return steps.length === 0 || typeof steps[0] === 'number' || steps.includes('__proto__') ? null : steps
}

const pathLengthMax = 512
/**
 * Maximum number of missing list entries that are filled with null. Entries normally arrive in order, and the limit
 * prevents a provider from making the gateway fill a billion entries.
 */
const holeMax = 16
const stepPattern = /\.(?<name>[^.[\]]+)|\[(?<index>\d{1,6})\]|\[['"](?<quoted>[^'"]*)['"]\]/y

/** Creates missing objects and lists on the path. */
function put(
  root: Record<string, JsonValue>,
  steps: readonly Step[],
  change: (before: JsonValue) => JsonValue,
): void {
  let container: Record<string, JsonValue> | JsonValue[] = root
  for (const [i, step] of steps.entries()) {
    const next = steps[i + 1]
    const before: JsonValue = childOf(container, step)
    const value: JsonValue = next === undefined ? change(before) : containerFor(before, next)
    if (Array.isArray(container) && typeof step === 'number') {
      if (step > container.length + holeMax) return
      while (container.length < step) container.push(null)
      container[step] = value
    } else if (!Array.isArray(container)) container[String(step)] = value
    else return
    if (next !== undefined) {
      // The cast is safe, because `containerFor` returns only these types.
      container = value as Record<string, JsonValue> | JsonValue[]
    }
  }
}

function childOf(container: Record<string, JsonValue> | JsonValue[], step: Step): JsonValue {
  if (Array.isArray(container)) return typeof step === 'number' ? container[step] : undefined
  return Object.hasOwn(container, String(step)) ? container[String(step)] : undefined
}

function containerFor(before: JsonValue, next: Step): JsonValue {
  if (typeof next === 'number') return Array.isArray(before) ? before : []
  return isObject(before) ? before : {}
}
