import { WordGroups } from "./word-groups.ts";

/**
 * Words that mean much the same when one asks for a tool and another describes it, one group a line.
 * A word may stand in several groups. General English only: nothing here is made for one server.
 */
const groups = new WordGroups([
  "read open view cat display show print get load contents",
  "get fetch retrieve return give show",
  "list show enumerate ls display",
  "search find look locate lookup grep query seek where",
  "create make add new generate build mkdir touch",
  "write save store put create overwrite record",
  "add append insert attach note remember record store",
  "delete remove erase drop forget clear rm unlink destroy",
  "move rename mv relocate",
  "copy duplicate clone cp",
  "edit change modify update replace substitute patch alter swap",
  "sum add plus total addition",
  "count many amount",
  "echo repeat say parrot mirror",
  "send post mail email notify",
  "compress gzip zip archive pack",
  "toggle switch enable disable turn flip activate deactivate",
  "run execute start trigger launch simulate perform invoke",
  "print return dump output",
  "relation relationship relate link connect edge association",
  "reference ref pointer link",
  "file document page",
  "directory folder dir",
  "multiple several both compare",
  "image picture photo logo icon media",
  "audio sound recording media",
  "info information metadata detail stat statistics properties attributes",
  "info size permission",
  "size big large bytes",
  "environment env variables",
  "tree recursive hierarchy nested structure",
  "allowed permitted accessible access",
  "entity node",
  "node relation",
  "graph entity",
  "observation fact note",
  "memory knowledge graph know remember everything",
  "location city place town weather temperature forecast warm cold hot sunny rain",
  "message text string",
  "long slow lengthy",
  "configuration config settings",
  "number figure value",
  "research investigate study explore",
]);

/** How much a synonym counts beside the word itself. */
export const synonymWeight = 0.6;

/** The synonyms of a word, itself left out; words in and out are as `wordsOf` gives them. */
export function synonymsOf(word: string): ReadonlySet<string> {
  return groups.besides(word);
}
