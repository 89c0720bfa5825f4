import { useId, type ReactNode } from 'react'

/** Phones show the options in their own list. */
export function Select({
  label,
  onChange,
  options,
  value,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onChange: (value: string) => void
}): ReactNode {
  const id = useId()
  // A link may name an option that no longer exists. It is shown, and the user can choose another.
  const all = options.some(([one]) => one === value) ? options : [...options, [value, value] as const]
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="text-13 text-ink-2">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full min-w-0 truncate rounded border border-edge bg-surface px-2"
      >
        {all.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  )
}
