/**
 * Returns whether the form of a page's primary action is open: `act=new` in the URL, so that the command bar can open it.
 */
import { useSearchText } from './url-parameters.ts'

export function useAct(name = 'new'): readonly [isOpen: boolean, open: () => void, close: () => void] {
  const [act, setAct] = useSearchText('act')
  return [act === name, () => setAct(name), () => setAct(null)]
}
