/** The ID of an end user who is created if there is none: once the field is left, it says which of the two it is. */
import { useState, type ReactNode } from 'react'
import { TextField, type Form, type FormValues } from '#web/ui/form.tsx'
import { useFoundUser } from './find-user.ts'
import { useUserSuggestions } from './user-suggestions.ts'

export function EndUserField<V extends FormValues>({
  form,
  label,
  name,
}: {
  readonly form: Form<V>
  readonly name: keyof V & string
  readonly label: string
}): ReactNode {
  const typed = String(form.values[name]).trim()
  const [left, setLeft] = useState('')
  const suggestions = useUserSuggestions(typed)
  const found = useFoundUser(left)
  const isLeft = left !== '' && left === typed
  return (
    <TextField
      form={form}
      name={name}
      label={label}
      help={
        isLeft && found === null
          ? 'No end user has this ID yet. One is created.'
          : isLeft && found
            ? `This end user exists${found.email === null ? '.' : `: ${found.email}.`}`
            : 'The ID that your product uses for the end user. If it is new, an end user is created.'
      }
      suggestions={suggestions}
      maxLength={256}
      onLeave={() => setLeft(typed)}
    />
  )
}
