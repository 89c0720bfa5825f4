/** A number from the environment, else the usual one: how often a long test does what it does. */
export function sizeOf(name: string, usually: number): number {
  const given = process.env[name]
  return given === undefined ? usually : Number(given)
}
