export interface Place {
  readonly words: string
  readonly to: string
  readonly params: Readonly<Record<string, string>>
  readonly search: Readonly<Record<string, string>>
}

/** Null if no page shows resources with this ID prefix. */
export function placeOfId(id: string): Place | null {
  const prefix = /^([a-z]+)_[\w-]+$/i.exec(id)?.[1]
  const open = (words: string, to: string): Place => ({ words, to, params: {}, search: { open: id } })
  switch (prefix) {
    case 'req':
    case 'hold':
    case 'ur':
      return { words: `Explain ${id}`, to: '/requests/$id', params: { id }, search: {} }
    case 'eu':
      return { words: `End user ${id}`, to: '/users/$id', params: { id }, search: {} }
    case 'key':
    case 'ak':
      return open(`Key ${id}`, '/keys')
    case 'emt':
      return open(`Emitter ${id}`, '/emitters')
    case 'gr':
      return open(`Grant ${id}`, '/grants')
    case 'inv':
      return open(`Invoice ${id}`, '/invoices')
    case 'apk':
      return open(`Token ${id}`, '/tokens')
    case 'pa':
      return open(`Provider account ${id}`, '/providers')
    case 'mem':
      return open(`Member ${id}`, '/team')
    default:
      return null
  }
}
