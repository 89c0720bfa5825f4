/** What parts of a sheet or a step offer besides themselves, such as their call as code, shown in one place for all. */
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
  /** What it is called in the list of several. */
  readonly name: string
  readonly content: ReactNode
}

interface Registry {
  /** Changes nothing if the text is what it was. */
  readonly put: (key: string, text: string, extra: Extra) => void
  readonly remove: (key: string) => void
}

const Place = createContext<Registry | null>(null)

/** The extras of what is inside `Collected`, in the order in which they came. */
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

/** @param by null: what is inside shows its extras itself */
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
 * Offers an extra to the sheet or step around.
 * @param text changes whenever the extra does
 * @returns whether it is shown there; if not, the caller shows it
 */
export function useExtra(text: string, extra: Extra): boolean {
  const registry = useContext(Place)
  const key = useId()
  const put = useEffectEvent((said: string) => registry?.put(key, said, extra))
  useEffect(() => put(text), [text])
  // Apart, so that a change keeps its place among the others.
  useEffect(() => () => registry?.remove(key), [key, registry])
  return registry !== null
}
