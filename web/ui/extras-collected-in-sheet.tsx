/** An extra is optional content, such as the API call of a form, which a sheet or step shows in one place. */
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
  /** Shown if there are several extras. */
  readonly name: string
  readonly content: ReactNode
}

interface Registry {
  /** Adding the same text again changes nothing. */
  readonly put: (key: string, text: string, extra: Extra) => void
  readonly remove: (key: string) => void
}

const Place = createContext<Registry | null>(null)

/** In the order in which components inside `Collected` added the extras. */
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

/** @param by null if the content itself shows its extras */
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
 * @param text must change whenever the extra changes
 * @returns false if the calling component must show the extra itself
 */
export function useExtra(text: string, extra: Extra): boolean {
  const registry = useContext(Place)
  const key = useId()
  const put = useEffectEvent((said: string) => registry?.put(key, said, extra))
  useEffect(() => put(text), [text])
  // A separate effect lets an extra that changes keep its position.
  useEffect(() => () => registry?.remove(key), [key, registry])
  return registry !== null
}
