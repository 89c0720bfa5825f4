/** The first letter of a name as people see one, whatever it is made of. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name)
  return (first?.segment ?? '').toUpperCase()
}
