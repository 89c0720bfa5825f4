/**
 * Shows optional content of the parts of a sheet or step in one place. This content is called an extra. For example,
 * the API call of a form is an extra.
 */
import {
  createContext,
  useContext,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useState,
  type ReactNode,
} from 'react'

export interface Extra {
  /** The name of the extra in a list of several extras. */
  readonly name: string
  readonly content: ReactNode
}

interface Registry {
  /** Adds an extra. Adding the same text again changes nothing. */
  readonly put: (key: string, text: string, extra: Extra) => void
  readonly remove: (key: string) => void
}

const Place = createContext<Registry | null>(null)

/** Returns the extras that components inside `Collected` have added, in the order in which they were added. */
export function useExtras(): readonly [readonly Extra[], Registry] {
  const [extras, setExtras] = useState<ReadonlyMap<string, { readonly text: string; readonly extra: Extra }>>(
    new Map(),
  )
  const registry = useMemo(
    (): Registry => ({
      put: (key, text, extra) =>
        setExtras((before) =>
          before.get(key)?.text === text ? before : new Map(before).set(key, { text, extra }),
        ),
      remove: (key) => setExtras((before) => new Map([...before].filter(([one]) => one !== key))),
    }),
    [],
  )
  return [useMemo(() => [...extras.values()].map(({ extra }) => extra), [extras]), registry]
}

/** @param by the registry that collects the extras; null if the content itself shows its extras */
export function Collected({
  by,
  children,
}: {
  readonly by: Registry | null
  readonly children: ReactNode
}): ReactNode {
  return <Place value={by}>{children}</Place>
}

/**
 * Adds an extra to the surrounding sheet or step.
 * @param text must change whenever the extra changes
 * @returns whether the surrounding sheet or step shows the extra; if false, the calling component must show the extra
 */
export function useExtra(text: string, extra: Extra): boolean {
  const registry = useContext(Place)
  const key = useId()
  const put = useEffectEvent((said: string) => registry?.put(key, said, extra))
  useEffect(() => put(text), [text])
  // Remove the extra in a separate effect, so that an extra that changes keeps its position.
  useEffect(() => () => registry?.remove(key), [key, registry])
  return registry !== null
}
