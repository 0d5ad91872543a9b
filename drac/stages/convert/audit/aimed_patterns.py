"""What text says that is aimed at a model and not at a reader, by kind, in several languages.

Each pattern is matched against text in small letters with single spaces (a new line parts blocks). They ask
for a whole phrase, since manuals, forms and contracts speak of instructions, rules and systems all the time.
"""

from __future__ import annotations

import re

_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing)"
_ORDERS = r"(?:instructions?|prompts?|directives?|commands?)"
_MODEL = r"(?:ai|a\.i\.|llms?|large language models?|language models?|gpt|chatgpt|claude|gemini|copilot)"
_ASSISTANT = rf"(?:{_MODEL}|ai (?:assistant|agent|model|system|bot|reviewer|screener)s?|chatbots?)"
_SECRET = r"(?:this|it|that|these instructions|this instruction|this message|this text|anything|about)"

_ENGLISH = (
    rf"\b(?:ignore|disregard|forget) (?:all |any |every |each )?(?:of )?(?:the |your |my |these |those )?"
    rf"(?:{_EARLIER} )(?:{_EARLIER} |and |or |given |user |safety )*{_ORDERS}\b",
    rf"\b(?:override|bypass|overrule) (?:all |any )?(?:of )?(?:the |your |my )?{_EARLIER} "
    r"(?:instructions|prompts?)\b",
    rf"\b(?:ignore|disregard|forget|override) (?:all |any )(?:of )?(?:your |the |my )?(?:{_ORDERS}|"
    rf"guidelines)"
    r"(?: (?:above|before|so far|you (?:have|were)|given|that)|[.!,;:]|$)",
    r"\b(?:ignore|disregard|forget|override) your (?:\w+ )?(?:instructions?|prompts?|guidelines|programming|"
    r"training|rules|guardrails)\b",
    r"\b(?:ignore|disregard|forget) (?:everything|anything|all|what) (?:that )?(?:was |is |stands |"
    r"you were told |"
    r"has been )?(?:above|before (?:this|that)|said (?:above|before)|told before|written above)\b",
    r"\b(?:ignore|disregard) the above(?: \w+)? and (?:instead |now |only )*(?:say|respond|reply|answer|"
    r"output|"
    r"write|print|return|tell)\b",
    r"\b(?:reveal|show|print|repeat|output|leak|display|disclose|summari[sz]e|ignore|disregard|forget)"
    r"(?: me)? (?:\w+ )?(?:your|the|all) (?:\w+ )?(?:(?:system|hidden|initial|developer|above) prompt|"
    r"system instructions)\b",
    r"\b(?:new|updated|real|actual) system prompt ?:",
    r"\bend of (?:the )?(?:system|developer) (?:prompt|message|instructions)\b",
    rf"\b(?:dear|attention|hello|hey|note to|message to|notice to|instructions? (?:to|for)|important for)"
    rf"[:,!]? (?:the |any |all |every )?{_ASSISTANT}\b(?! (?:act|law|team|users?|office|officers?|"
    rf"developers?))",
    rf"\bif you are an? (?:automated )?{_ASSISTANT}\b",
    rf"\byou are (?:now |no longer )?(?:an? )?(?:unrestricted |unfiltered |helpful |"
    rf"jailbroken )*{_ASSISTANT}\b",
    r"\bas an? (?:ai|large)(?: language)? (?:model|assistant),? (?:i|you)\b",
    r"\byou are now (?:in )?(?:dan|developer mode|jailbreak|unrestricted)\b",
    r"\bdo anything now\b",
    rf"\b(?:do not|don't|never) (?:tell|inform|notify|alert|warn) (?:the |your |any )?(?:user|human|operator|"
    rf"reader)s? (?:of |about |that )?{_SECRET}\b",
    rf"\b(?:do not|don't|never) (?:mention|reveal|disclose|say|show|repeat) {_SECRET} to (?:the |your |any )?"
    r"(?:user|human|operator|reader)s?\b",
    r"\b(?:send|post|forward|exfiltrate|append|upload|leak) (?:\w+ ){0,4}(?:conversation|chat history|"
    r"chat log|"
    r"system prompt|user's (?:messages|data|files))\b.{0,60}(?:https?:|www\.|\S@)",
    rf"\b{_ASSISTANT}(?: \w+){{0,3}} (?:must|should|shall)(?: always)? (?:rank|rate|recommend|score|accept|"
    r"approve) this\b",
    r"\b(?:rank|rate|score) this (?:document|page|candidate|resume|applicant|paper|product)(?: as)? (?:first|"
    r"highest|the highest|top|the best|10/10)\b",
    r"\bgive (?:a|only) positive reviews?(?: only)?\b.{0,40}\b(?:do not|don't|never) (?:highlight|mention|"
    r"list)\b",
)  # fmt: skip
_OTHER_LANGUAGES = (
    r"\b(?:ignorier(?:e|en|t)|missachte[nt]?|vergiss|vergessen|vergesst)(?: sie)? (?:alle |sämtliche |die |"
    r"all |"
    r"deine |ihre |eure )*(?:vorherigen|bisherigen|obigen|vorigen|früheren|vorangegangenen|vorangehenden|"
    r"vorhergehenden|oben stehenden|ursprünglichen) (?:\w+ )?(?:anweisungen|instruktionen|befehle|vorgaben)",
    r"\b(?:ignore[zr]?|oublie[zr]?|(?:ne )?(?:tiens|tenez) pas compte)(?: de)? (?:toutes? )?(?:les |tes |"
    r"vos |des )"
    r"(?:instructions?|consignes?|directives?) (?:précédentes?|antérieures?|ci-dessus|initiales|du système)",
    r"\b(?:ignor(?:a|e|ar|en|ad)|olvid(?:a|e|ar|en)|descart(?:a|e)|ha(?:z|"
    r"ga) caso omiso de) (?:todas )?(?:las |tus |"
    r"sus )*(?:instrucciones|indicaciones|órdenes|directrices) (?:anteriores|previas|de arriba|del sistema)",
    r"\b(?:ignora(?:te|re)?|dimentica(?:te|re)?) (?:tutte )?(?:le |tue |vostre )*(?:istruzioni|indicazioni) "
    r"(?:precedenti|di cui sopra|sopra|di sistema)",
    r"\b(?:ignor(?:e|a|ar|em)|esqueça|esquece|desconsidere) (?:todas )?(?:as |suas |tuas )*(?:instruções|"
    r"orientações) "
    r"(?:anteriores|prévias|acima|do sistema)",
    r"\b(?:negeer|vergeet) (?:alle )?(?:de |je |uw )*(?:voorgaande|eerdere|vorige|"
    r"bovenstaande) (?:instructies|"
    r"opdrachten|aanwijzingen)",
    r"\b(?:zignoruj(?:cie)?|ignoruj(?:cie)?|pomiń(?:cie)?|zapomnij(?: o)?) (?:wszystkie |"
    r"wszystkich )?(?:poprzednie|"
    r"wcześniejsze|powyższe|poprzednich) (?:instrukcje|polecenia|instrukcjach)",
    r"\b(?:про)?игнорируй(?:те)? (?:все )?(?:предыдущие|прежние|вышеуказанные|предшествующие|прошлые) "
    r"(?:инструкции|указания|команды)",
    r"\bзабудь(?:те)? (?:все |про )*(?:предыдущие|прежние|прошлые) (?:инструкции|указания|команды)",
    r"\b(?:önceki|yukarıdaki) (?:tüm |bütün )?(?:talimatları|komutları|yönergeleri) (?:yok say|"
    r"görmezden gel|unut|"
    r"dikkate alma)",
    r"\bbỏ qua (?:tất cả )?(?:các |những )*(?:hướng dẫn|chỉ dẫn|lệnh|chỉ thị) (?:trước|ở trên|bên trên)",
    r"\babaikan (?:semua )?(?:instruksi|perintah|arahan) (?:sebelumnya|di atas)",
    r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会)(?:掉)?(?:你)?(?:所有|全部|一切)?(?:之前|以上|上面|上述|"
    r"先前|前面|"
    r"此前)(?:的)?(?:所有|全部|一切)?(?:的)?(?:指令|指示|提示词?|命令|提示詞?)",
    r"(?:これまで|以前|上記|前|今まで|先ほど|以上)の(?:すべての|全ての|全)?(?:指示|命令|プロンプト|"
    r"指令)(?:を|は)"
    r"(?:すべて|全て)?(?:無視|忘れ)",
    r"(?:이전(?:의)?|위의|앞의|지금까지의|앞선) ?(?:모든 ?)?(?:지시|명령|지침|"
    r"프롬프트)(?:사항)?(?:들)?(?:을|를|은|는)? ?"
    r"(?:모두 ?|전부 ?)?(?:무시|잊)",
    r"(?:تجاهل|انس|انسَ) (?:جميع |كل |كافة )?(?:التعليمات|الأوامر|الإرشادات) (?:السابقة|أعلاه|المذكورة)",
    r"(?:पिछले|पिछली|उपरोक्त|पूर्व) (?:सभी )?(?:निर्देशों|निर्देश|आदेशों) (?:को )?(?:अनदेखा|नज़रअंदाज़|"
    r"नजरअंदाज|भूल)",
    r"(?:התעלם|התעלמי|שכח)(?: מכל| מ)? ?(?:ה)?(?:הוראות|הנחיות) (?:ה)?(?:קודמות|לעיל)",
)  # fmt: skip
_MARKUP = (
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|"
    r"begin_of_text|"
    r"end_of_turn|start_of_turn)\|>",
    r"<(?:start|end)_of_turn>|\[/?inst\]|<</?sys>>|</?s>\[inst\]",
    r"</?(?:system|assistant|developer)(?:[_-](?:prompt|message|instructions?|reminder))?>",
    r"</?(?:antml:)?(?:tool_call|tool_use|tool_response|tool_result|function_calls?|invoke)(?:>| name=)",
    r"[\"“]tool_calls[\"”] ?:",
    r"\{ ?[\"“](?:name|tool|function|tool_name|"
    r"recipient_name)[\"”] ?: ?[\"“][\w.-]{1,60}[\"”] ?, ?[\"“](?:arguments|"
    r"parameters|args|tool_input)[\"”] ?:",
)  # fmt: skip

AIMED = tuple(re.compile(one, re.MULTILINE) for one in (*_ENGLISH, *_OTHER_LANGUAGES, *_MARKUP))
"""To be searched for in `aimed.plain` text."""
