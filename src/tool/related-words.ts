import { synonymsOf } from "../base/synonyms.ts";
import { WordGroups } from "../base/word-groups.ts";

/**
 * Words that say in another way what a message says, as `wordsOf` gives them, the word itself left out:
 * its synonyms, its names in other languages, the names of a kind of file.
 */
export function relatedWords(word: string): ReadonlySet<string> {
  const known = kept.get(word);
  if (known !== undefined) {
    return known;
  }
  const found = new Set([...synonymsOf(word), ...named.besides(word)]);
  if (kept.size < mostKept) {
    kept.set(word, found);
  }
  return found;
}

const kept = new Map<string, ReadonlySet<string>>();
const mostKept = 10_000;

/** Names of one thing, one group a line. General words only: nothing here is made for one server. */
const groups: readonly string[] = [
  "presentation ppt pptx powerpoint slide deck",
  "excel xlsx xls spreadsheet sheet workbook",
  "word docx doc document",
  "markdown md",
  "image png jpg jpeg picture photo figure",
  "web website site webpage page url browser navigate",
  "chart plot graph diagram",
  "calculate compute math arithmetic",
  "news headline article",
  "different difference diff compare",
  "paper article publication literature",
  "train rail railway",
];

/** The words in which tools are described most, in Chinese and Japanese beside English; each is one pair of characters. */
const translations: readonly string[] = [
  "file 文件",
  "folder directory 目录",
  "document 文档 文書",
  "read 读取 阅读 読む",
  "write 写入 書く",
  "create make 创建 新建 作成",
  "delete remove 删除 削除",
  "edit change 修改 编辑 編集",
  "save 保存",
  "insert 插入 挿入",
  "search find query 搜索 查找 查询 検索",
  "get fetch 获取 取得",
  "list 列表 列出 一覧",
  "run execute 运行 执行 実行",
  "install 安装",
  "code 代码",
  "data 数据",
  "user 用户",
  "send 发送 送信",
  "message 消息 信息",
  "mail email 邮件",
  "translate 翻译 翻訳",
  "convert 转换 変換",
  "download 下载",
  "upload 上传",
  "summary summarize 摘要 总结 要約",
  "recommend 推荐 推薦",
  "time 时间 時間 時刻",
  "date 日期 日付",
  "today 今天 今日",
  "calendar 日历",
  "weather 天气 天気",
  "map 地图 地図",
  "city 城市 都市",
  "address 地址 住所",
  "news 新闻 资讯",
  "hot trend trending rank 热点 热门 热榜 排行 趋势",
  "article 文章 記事",
  "book 书籍 图书 書籍",
  "price 价格 価格",
  "stock 股票 株式 株価",
  "finance 财经 金融",
  "technology tech 科技 技术 技術",
  "image picture 图片 图像 画像",
  "video 视频 動画",
  "music 音乐 音楽",
  "movie film 电影 映画",
  "game 游戏",
  "chart graph 图表",
  "table 表格",
  "slide presentation 演示",
  "web page website 网页 网站",
  "ticket 车票 切符",
  "train 火车 列车 列車 電車",
  "station 车站 駅",
  "recipe 菜谱 食谱",
];

const named = new WordGroups([...groups, ...translations]);
