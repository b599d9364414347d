import type { JsonObject } from "../src/base/json.ts";

/** One message for the reference servers, the calls that it must lead to, and a part of the answer. */
export interface OfflineCase {
  readonly message: string;
  /** In order; `ROOT` in the arguments stands for the folder that the filesystem server serves. */
  readonly calls: readonly (readonly [name: string, arguments?: JsonObject])[];
  readonly says: string;
}

const roots = ["list_allowed_directories"] as const;

/** What the offline model must do with the filesystem, memory and everything servers. Rows build on one another. */
export const offlineTable: readonly OfflineCase[] = [
  {
    message: "Which files are in the docs folder?",
    calls: [["list_directory", { path: "docs" }]],
    says: "- guide.md",
  },
  {
    message: "list all files",
    calls: [roots, ["list_directory", { path: "ROOT" }]],
    says: "- docs/",
  },
  {
    message: "Read README.md",
    calls: [["read_text_file", { path: "README.md" }]],
    says: "# Hello",
  },
  {
    message: "What does notes/todo.txt say?",
    calls: [["read_text_file", { path: "notes/todo.txt" }]],
    says: "buy milk",
  },
  {
    message: "first 2 lines of log.txt",
    calls: [["read_text_file", { path: "log.txt", head: 2 }]],
    says: "one\ntwo",
  },
  {
    message: "Show me the last line of log.txt",
    calls: [["read_text_file", { path: "log.txt", tail: 1 }]],
    says: "four",
  },
  {
    message: "search for *.md files",
    calls: [roots, ["search_files", { path: "ROOT", pattern: "*.md" }]],
    says: "README.md",
  },
  {
    message: "find all .txt files in notes",
    calls: [["search_files", { path: "notes", pattern: "**/*.txt" }]],
    says: "todo.txt",
  },
  {
    message: "Where is guide.md?",
    calls: [roots, ["search_files", { path: "ROOT", pattern: "**/guide.md" }]],
    says: "docs/guide.md",
  },
  {
    message: 'create a folder called "reports"',
    calls: [["create_directory", { path: "reports" }]],
    says: "Successfully created",
  },
  {
    message: 'write "hello" to out.txt and then read it',
    calls: [
      ["write_file", { path: "out.txt", content: "hello" }],
      ["read_text_file", { path: "out.txt" }],
    ],
    says: "hello",
  },
  {
    message: "Rename old.txt to new.txt",
    calls: [["move_file", { source: "old.txt", destination: "new.txt" }]],
    says: "Successfully moved",
  },
  {
    message: 'Replace "hello" with "good bye" in out.txt',
    calls: [["edit_file", { path: "out.txt", edits: [{ oldText: "hello", newText: "good bye" }] }]],
    says: "+good bye",
  },
  {
    message: "How big is log.txt?",
    calls: [["get_file_info", { path: "log.txt" }]],
    says: "size: 18",
  },
  {
    message: "Compare README.md and log.txt",
    calls: [["read_multiple_files", { paths: ["README.md", "log.txt"] }]],
    says: "three",
  },
  {
    message: "list the files in docs sorted by size",
    calls: [["list_directory_with_sizes", { path: "docs", sortBy: "size" }]],
    says: "- guide.md",
  },
  {
    message: "Which directories am I allowed to access?",
    calls: [roots],
    says: "Allowed directories",
  },
  {
    message: "list the docs folder and read the second file",
    calls: [
      ["list_directory", { path: "docs" }],
      ["read_text_file", { path: "docs/setup.md" }],
    ],
    says: "The setup.",
  },
  {
    message: "Read todo.txt",
    calls: [
      ["read_text_file", { path: "todo.txt" }],
      roots,
      ["search_files", { path: "ROOT", pattern: "**/*todo.txt*" }],
      ["read_text_file", { path: "ROOT/notes/todo.txt" }],
    ],
    says: "call Bob",
  },
  {
    message: "How many files are in docs?",
    calls: [["list_directory", { path: "docs" }]],
    says: "2 files",
  },
  {
    message: 'create an entity Ada of type person with observation "likes maths"',
    calls: [
      [
        "create_entities",
        { entities: [{ name: "Ada", entityType: "person", observations: ["likes maths"] }] },
      ],
    ],
    says: "Ada",
  },
  {
    message: "Create the entities Bob and Eve of type person",
    calls: [
      [
        "create_entities",
        {
          entities: [
            { name: "Bob", entityType: "person", observations: [] },
            { name: "Eve", entityType: "person", observations: [] },
          ],
        },
      ],
    ],
    says: "Eve",
  },
  {
    message: 'Add the observation "plays chess" to Ada',
    calls: [
      ["add_observations", { observations: [{ entityName: "Ada", contents: ["plays chess"] }] }],
    ],
    says: "plays chess",
  },
  {
    message: "Remember that Ada likes tea",
    calls: [
      ["add_observations", { observations: [{ entityName: "Ada", contents: ["likes tea"] }] }],
    ],
    says: "likes tea",
  },
  {
    message: "Create a relation from Ada to Bob of type knows",
    calls: [
      ["create_relations", { relations: [{ from: "Ada", to: "Bob", relationType: "knows" }] }],
    ],
    says: "knows",
  },
  {
    message: "what do you know about Ada",
    calls: [["search_nodes", { query: "Ada" }]],
    says: "likes maths",
  },
  {
    message: "Open the nodes Ada and Bob",
    calls: [["open_nodes", { names: ["Ada", "Bob"] }]],
    says: "relationType: knows",
  },
  { message: "show the whole graph", calls: [["read_graph"]], says: "plays chess" },
  {
    message: "Delete the relation knows from Ada to Bob",
    calls: [
      ["delete_relations", { relations: [{ from: "Ada", to: "Bob", relationType: "knows" }] }],
    ],
    says: "deleted",
  },
  {
    message: "delete the entity Bob",
    calls: [["delete_entities", { entityNames: ["Bob"] }]],
    says: "deleted",
  },
  { message: "what is 17 plus 25", calls: [["get-sum", { a: 17, b: 25 }]], says: "42" },
  {
    message: 'echo "good morning"',
    calls: [["echo", { message: "good morning" }]],
    says: "Echo: good morning",
  },
  {
    message: "Repeat after me: hello there",
    calls: [["echo", { message: "hello there" }]],
    says: "Echo: hello there",
  },
  {
    message: "weather in New York",
    calls: [["get-structured-content", { location: "New York" }]],
    says: "temperature: 33",
  },
  { message: "print the environment", calls: [["get-env"]], says: "MEMORY_FILE_PATH" },
  { message: "a tiny image", calls: [["get-tiny-image"]], says: "[image: image/png]" },
  {
    message: "Give me an error message with an image",
    calls: [["get-annotated-message", { messageType: "error", includeImage: true }]],
    says: "[image: image/png]",
  },
  {
    message: "Give me 5 resource links",
    calls: [["get-resource-links", { count: 5 }]],
    says: "5 resource links",
  },
  {
    message: "get the blob resource with id 3",
    calls: [["get-resource-reference", { resourceType: "Blob", resourceId: 3 }]],
    says: "Resource 3",
  },
  {
    message: "run a long operation for 1 second with 2 steps",
    calls: [["trigger-long-running-operation", { duration: 1, steps: 2 }]],
    says: "Steps: 2",
  },
  { message: "What is the weather in Paris?", calls: [], says: 'one of "New York"' },
  { message: "What is the capital of France?", calls: [], says: "No tool matches" },
  { message: "Write something to a file", calls: [], says: "`path`" },
  {
    message: "Read nothing-here.txt",
    calls: [
      ["read_text_file", { path: "nothing-here.txt" }],
      roots,
      ["search_files", { path: "ROOT", pattern: "**/*nothing-here.txt*" }],
    ],
    says: "failed",
  },
  {
    message: "What's inside the notes directory?",
    calls: [["list_directory", { path: "notes" }]],
    says: "- todo.txt",
  },
  {
    message: "What does the README say?",
    calls: [
      ["read_text_file", { path: "README" }],
      roots,
      ["search_files", { path: "ROOT", pattern: "**/*README*" }],
      ["read_text_file", { path: "ROOT/README.md" }],
    ],
    says: "# Hello",
  },
  {
    message: "Read todo.txt in the notes folder",
    calls: [["read_text_file", { path: "notes/todo.txt" }]],
    says: "buy milk",
  },
  {
    message: "Read the guide in docs",
    calls: [
      ["read_text_file", { path: "docs" }],
      ["list_directory", { path: "docs" }],
      ["read_text_file", { path: "docs/guide.md" }],
    ],
    says: "The guide.",
  },
  {
    message: "Find every markdown file",
    calls: [roots, ["search_files", { path: "ROOT", pattern: "**/*.md" }]],
    says: "setup.md",
  },
  {
    message: 'Create plans.md and put "# Plans" in it',
    calls: [["write_file", { path: "plans.md", content: "# Plans" }]],
    says: "Successfully wrote",
  },
  {
    message: "Move plans.md into the archive folder",
    calls: [["move_file", { source: "plans.md", destination: "archive/plans.md" }]],
    says: "Successfully moved",
  },
  {
    message: 'Add a folder named "invoices" inside docs',
    calls: [["create_directory", { path: "docs/invoices" }]],
    says: "Successfully created",
  },
  {
    message: "Show me notes/todo.txt and tell me its size",
    calls: [
      ["read_text_file", { path: "notes/todo.txt" }],
      ["get_file_info", { path: "notes/todo.txt" }],
    ],
    says: "size: 18",
  },
  {
    message: "Give me a tree of the whole project",
    calls: [roots, ["directory_tree", { path: "ROOT" }]],
    says: "name: setup.md",
  },
  {
    message: "Create entities: Alice (person) and Acme (company)",
    calls: [
      [
        "create_entities",
        {
          entities: [
            { name: "Alice", entityType: "person", observations: [] },
            { name: "Acme", entityType: "company", observations: [] },
          ],
        },
      ],
    ],
    says: "company",
  },
  {
    message: "Alice works at Acme, create that relation",
    calls: [
      [
        "create_relations",
        { relations: [{ from: "Alice", to: "Acme", relationType: "works at" }] },
      ],
    ],
    says: "works at",
  },
  {
    message: 'Remove the observation "plays chess" from Ada',
    calls: [
      [
        "delete_observations",
        { deletions: [{ entityName: "Ada", observations: ["plays chess"] }] },
      ],
    ],
    says: "deleted",
  },
  { message: "Which entities are in the graph?", calls: [["read_graph"]], says: "name: Alice" },
  {
    message: "Forget Acme",
    calls: [["delete_entities", { entityNames: ["Acme"] }]],
    says: "deleted",
  },
  { message: "add 7 to 8", calls: [["get-sum", { a: 7, b: 8 }]], says: "15" },
  {
    message: "Compress data:text/plain,hello to hello.txt.gz",
    calls: [["gzip-file-as-resource", { data: "data:text/plain,hello", name: "hello.txt.gz" }]],
    says: "hello.txt.gz",
  },
  {
    message: "Simulate research on black holes",
    calls: [["simulate-research-query", { topic: "black holes" }]],
    says: "`simulate-research-query` failed",
  },
  { message: "Delete log.txt", calls: [], says: "No tool matches" },
  { message: "Hello!", calls: [], says: "No tool matches" },
  { message: "Read the file", calls: [], says: "does not give" },
];
