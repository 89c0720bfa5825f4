/** The URL changes shortly after the last keystroke. */
import { useEffect, useEffectEvent, useId, useState, type ReactNode } from 'react'
import { inputClass } from '#web/ui/form.tsx'
import { useSearchText } from './url-parameters.ts'

export function SearchField({
  label,
  name,
  suggestions,
  isExact = false,
}: {
  readonly label: string
  readonly name: string
  readonly suggestions?: readonly string[]
  /** Whether only a complete value is applied: a suggestion, or text confirmed with Enter or by leaving the field. */
  readonly isExact?: boolean
}): ReactNode {
  const [value, setValue] = useSearchText(name)
  const [typed, setTyped] = useState(value ?? '')
  const list = useId()
  // The text of the field follows the URL, except for values that the field has written itself. Such a value lacks the
  // space at the end of the text, and text that was typed in the meantime.
  const [known, setKnown] = useState(value)
  const [written, setWritten] = useState<readonly (string | null)[]>([])
  if (known !== value) {
    setKnown(value)
    const at = written.indexOf(value)
    setWritten(at < 0 ? [] : written.slice(at + 1))
    if (at < 0) setTyped(value ?? '')
  }
  const take = (): void => {
    const next = typed.trim() === '' ? null : typed.trim()
    if (next === value) return
    setWritten((before) => [...before, next])
    setValue(next)
  }
  const takeLater = useEffectEvent(take)
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === (value ?? '')) return
    if (isExact && wanted !== '' && suggestions?.includes(wanted) !== true) return
    const timer = setTimeout(() => takeLater(), 250)
    return () => clearTimeout(timer)
  }, [typed, value, isExact, suggestions])
  return (
    <>
      <input
        type="search"
        data-filter
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={128}
        list={suggestions ? list : undefined}
        className={`${inputClass} phone:max-w-72`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        {...(isExact && { onBlur: take })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
        }}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** '' means all values. */
export function ChoiceFilter({
  label,
  name,
  options,
}: {
  readonly label: string
  readonly name: string
  readonly options: readonly (readonly [value: string, words: string])[]
}): ReactNode {
  const [value, setValue] = useSearchText(name)
  return (
    <select
      aria-label={label}
      className={`${inputClass} phone:max-w-60`}
      value={value ?? ''}
      onChange={(event) => setValue(event.target.value === '' ? null : event.target.value)}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  )
}
