/**
 * Common words that every measured vocabulary contains. The lists limit the number of tokens of each word in a text
 * (docs/reference/tokens.md "Common words").
 *
 * A tokenizer splits text into words, with at most one character before the letters of a word. The tokens of a word
 * therefore depend only on its letters and on the character before the letters. In all eleven measured vocabularies,
 * each word of the lists is one token together with a space before the word. The gateway counts two tokens for a word
 * after a space. After any other character, a word of the first list has at most two tokens, and a word of the second
 * list at most three.
 */

/** Returns 0 if the word is not in the lists. */
export function tokensOfWord(text: Uint8Array, start: number, end: number, hash: number): number {
  for (let slot = hash & slotMask; ; slot = (slot + 1) & slotMask) {
    const at = places[slot] ?? 0
    if (at === 0) return 0
    if (lengths[slot] !== end - start || !hasLetters(text, start, end, at)) continue
    const isWordShort = at < longWordsAt
    if (isCapital(text[start])) return isWordShort ? 3 : 4
    return isWordShort || (start > 0 && text[start - 1] === 0x20) ? 2 : 3
  }
}

/**
 * Whether the text is the common word that begins at `at` in `letters`. The first letter of the text may be a capital.
 */
function hasLetters(text: Uint8Array, start: number, end: number, at: number): boolean {
  if (((text[start] ?? 0) | 0x20) !== letters[at]) return false
  for (let i = start + 1; i < end; i++) if (text[i] !== letters[at + i - start]) return false
  return true
}

function isCapital(code: number | undefined): boolean {
  return code !== undefined && code < 0x61
}

/** The hash does not depend on the case of a letter. */
export function withLetter(hash: number, code: number): number {
  return Math.imul(hash, 31) + (code | 0x20)
}

export const lettersMin = 4

/** Words that have at most two tokens, including any one character before the word. */
export const shortWords = `
  ability able about absolute accept access account action actions activ active activity actor actual added adding
  addr address adjust admin after again agent ages alert align alle alloc allow allowed alone alpha also alter altern
  although always amen amount analysis android angle anim answer ante anti append application apply appro apps arch
  area aren args argument arms around array article arts assembly assert assets attribute audio auth author auto
  available aware away axis back background balance ball band bank bars base based basic batch bear beat because
  before begin being bench best beta between binary bind binding bird bits black blank block blocks blog blue board
  boat body bold bone book books bool boost boot border born both bottom bound boys brand bread break bridge buff
  buffer build builder building built burn business button byte bytes cache call callback called camp card cards care
  cart case cases cast catch category cell cent center cert chain chair change changed changes channel char character
  charge chart chat check checked chem cher child children chip choice circ circle city claim class classes clean
  clear click client clip clock close closed cloud club cock code codes coin coll collect collection color column comb
  come comes comfort coming comm command comment comments commit common comp company complete complex component cond
  condition conduct conf config conn connect connected connection cons console const construct cont contact container
  content context contin contract control controller conv cookie copy core correct cost could count counter course
  court cover craft create created crit cross currency current custom cycle dark data date dates dating days dead desc
  dest dict diff direct direction disk dist distance document does done door double down draw drive driver drop dump
  duration each echo edge edit editor educ effect eight elect element else email empty enable ended ending ends energy
  engine enter entity entry enum environment equal error errors escape especially este even event events ever every
  example except execute exist existing exit expected expl export express expression external extra face faces fact
  factor fail failed fake fall false family fast father feed field fields figure file filename files fill filled film
  filter final find finished fire first fish five fixed flag flags flash flat flex float floor flow focus fold folder
  follow font food foot force forced fore form format formation formed former forms fort forward found four frame
  framework free frequency friend from front full fully func function fund future gain game gender gener general gent
  gest gets girl glass global going gold good google grad grade grand graph green grid ground group groups half hall
  hand handle handler hang hard hash have head header headers heading health heart height held hell help here hero
  hidden hide high hire hist history hold holder hole home hook host hour house href html http human hyper icon ident
  ignore imag image images impl import important inch include index info information init initial inline inner input
  insert inst install instance integer inter interest interface intern internal interpret into iron issue issues item
  items iter jack java join journal json just keep keeping kernel keys kind king know known label land lang language
  larg large last late latest layer layout leading leave lect left legal length less lets lett letter level library
  license life light lights like limit limited line linear lines link linked links list listed lists liter live load
  loaded loading local location lock login long look looking loop loss love lower machine made mail main make making
  mand many mark marks mart mask mass master match material math mean media ment message meta middle mile mill mind
  mine miss mission mobile mode mont more most mother mount mouse mouth move mult must name named names native need
  negative never news next nice night node none norm normal note notes notice null number object objects occup offset
  older once ones online only open oper operation operator optim option optional options order ordered orders organ
  orient orig origin original other output over owned owner owners pack package padding page pages paid pair panel
  paper param params parent park parse parser part parts party pass password patch path patient pattern payment pent
  people percent period perm pers person pert phase phone photo phys pick picture piece pipe place plain plan plane
  plant platform play player plot plug plugin plus point points policy poll poly pool port pose position post posts
  power pred pres present press prev price prim primary prime print printf priority priv private proc process
  processing produ product production products prof profile profit program progress project projects prom proof prop
  properties property prot prov public published pull push python qual quality quant quer query quest question queue
  quick quote radio radius raise rand random range rank rate rating reach react read reader ready real reason rect
  reference related relation release remove rend render rent repeat replace reply report requ request require reset
  resource resp respect rest return review rich ride right ring rise river road rock role roll room rooms root rose
  rough round route rows rule rules running rust safe same sample save scale scan school score screen script search
  section seen select self selling send sent serial series serv session sets seven shall sheet shell ship shop shot
  show side sign since sing single site size skill skin sleep slot smart social socket soft sole solid some sort sound
  source space span spec spect speed spin spot stable star ster stick stone stop stre strip such super switch system
  table tags tail take talk target task tech teen tele temp test tests text than that then there they this time timer
  times tiny title token tool tools topic total touch town trace track train trans tree turn type types uint under
  union unique unit units unknown unsigned until update updated upload upper usage used user username users uses using
  util valid value values vari variable vector vent verb vers vert very vest video view views virt virtual visible
  vision voice void volt volume vote wait walk wall want warning watch water wave ways weak wealth wear week weight
  well were west what wheel when where which while white wide widget width will wind window windows wire with without
  woman wood word words work worker workers working works world worth wrap write writer writing written yard year your
  zero zone
`
  .trim()
  .split(/\s+/)

/** Words that have at most three tokens, including any one character before the word. */
export const longWords = `
  absolutely abstract according achieve across activities actually addition additional advanced advantage advent
  advert advice affect affili afford against agreed allows almost already alternative amazing animal announced annual
  another anyone anything appear applic applied appoint approach appropriate architect arguments articles artist
  aspect assess assist associ associated attack attempt attend attention attract audience average batter became become
  beginning behavior behind believe better beyond biggest billion boolean bought bright brought browser budget
  businesses buying calcul camera campaign cancel cancer candid cannot capacity capital career central centre certain
  chance changing characters choose church classic clients collabor college colors comfortable commercial commun
  communication community compan compar compare compared compet completed components comput computer concept concern
  conditions configuration confirm conserv consider consist constant construction constructor consult consum contain
  contains continu continue contra conven convers convert cookies copyright corpor correspond countries country couple
  courses coverage creating creative credit critical culture currently customer customers damage danger database
  daughter decide decided decision default define defined definitely degree delete deliver delivery demand depend
  describe description design designed destination destroy detail details detect develop device devices dialog differ
  difference different difficult digital directly director directory discount discover discuss dispatch display dispos
  distributed distribution divers doctor documents domain download driving during econom economic education effective
  effects efficient effort efforts either electric elements employ employee enough ensure entire essential establish
  estate everyone everything evidence exactly exception exchange exercise exists expand expect experience experiences
  experiment expert experts extends extract extrem fabric facilities factors fashion favorite feature features federal
  feeling finally financial finding finish followed following football foreign forget friendly friends functions
  fundament further garden gather generally generate generated generation getting giving govern government greater
  growing growth guests having healthy helped helpful helping highly himself histor holiday honest hospital however
  hundred husband identify impact implement implementation implied impress included income incred independ independent
  industry inform inside instant instead insurance intent interested interesting interior international internet
  interview introdu invest itself journey kitchen knowledge larger largest launch leader leaders learned levels likely
  listen little living located logger longer looked manage management manager manufact margin market marketing
  materials matrix matter maximum meaning measure mechan medical meeting member members memory mental mention
  mentioned messages method military million minimum minute minutes missing models modern modify module moment monitor
  months morning movement movies moving multiple myself namespace nation national nature nearly necess needed network
  nothing numbers numerous observ obtain obvious offered offering offers office official opened opening operations
  organization organizations others otherwise outside overall override parameter parameters parents partial partic
  particip particular parties partner passed passion patients perfect perform performance perhaps perman permit
  personal photos physical pieces placed placeholder places planning plants played players playing please plenty
  police political popular population positive possible posted potential powerful prefer prepar prepare prepared
  presented president pressure pretty prevent previous prices primer probably proble problem proced produce produced
  profession programs proper protect protected protection provide provided provider provides purchase purpose quarter
  questions quickly rather reading reality really reasons receive received recent recogn recomm record records
  redirect reduce reflect regard region register regular relations relationship released relevant remain remember
  remote removed repair reported reports represent requests required requirements requires research reserv reserved
  resources respons response result retail returned returns reviews rights satisf saying schedule schools science
  season second seconds secret sector secure security seeing selected selection sender serious served server service
  services setting settings shared sharing shipping shopping should signal signific similar simple simply sizeof
  skills slight smooth society software solution solutions someone something sometimes sources special specific
  specified spirit sports spread spring square starts states static station status storage stories straight strateg
  strategy stream street strength stress strict string strong struct styles subject success suggest suitable summer
  supply support surface surround symbol systems taking talent talking temper temperature template testing thanks
  therap therefore things thinking though thought thread threat through throws together trading traffic training
  transaction transfer transform transport travel trying turned typically undefined understand understanding univers
  unless updates useful usually variables variety various vehicle version visual waiting wanted weather website
  weekend welcome whatever whether winter within wonder worked yourself
`
  .trim()
  .split(/\s+/)

const slotMask = 0x1fff
/** The letters of all words, the short words first. The first byte is unused, so that no word begins at position 0. */
const letters = Buffer.from(` ${shortWords.join('')}${longWords.join('')}`, 'latin1')
const longWordsAt = 1 + shortWords.join('').length
/** For each slot of the hash table, the position of its word in `letters`. 0 for an empty slot. */
const places = new Uint16Array(slotMask + 1)
const lengths = new Uint8Array(slotMask + 1)
let place = 1
for (const word of [...shortWords, ...longWords]) {
  let hash = 0
  for (let i = 0; i < word.length; i++) hash = withLetter(hash, word.charCodeAt(i))
  let slot = hash & slotMask
  while (places[slot] !== 0) slot = (slot + 1) & slotMask
  places[slot] = place
  lengths[slot] = word.length
  place += word.length
}
