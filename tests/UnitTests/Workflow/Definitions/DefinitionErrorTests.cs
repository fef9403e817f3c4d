namespace UnitTests.Workflow.Definitions;

/// <summary>Refusals that need no file of their own. In the texts, ' stands for the quotes of JSON.</summary>
public sealed class DefinitionErrorTests
{
    /// <summary>The paths of half a million values, ten thousand characters deep, take gigabytes.</summary>
    [Fact]
    public void Paths_of_values_without_an_error_are_not_made()
    {
        const int levels = 40;
        var name = new string('n', 160);
        var deep = string.Concat(Enumerable.Repeat($$"""{"{{name}}":""", levels))
            + $"[{string.Join(',', Enumerable.Repeat("0", 20_000))}]" + new string('}', levels);
        var before = GC.GetAllocatedBytesForCurrentThread();

        _ = Compile.Good(Compile.Steps("s", $$""" "s": { "type": "end", "output": {{deep}} } """));

        // One path has 13 kB.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 32 * 1_048_576);
    }

    [Theory]
    [InlineData("'type':'set','values':{'a b':1},'next':'done'", "steps.s.values['a b']", "not the name of a variable")]
    [InlineData("'type':'set','values':[1],'next':'done'", "steps.s.values", "Expected an object")]
    [InlineData("'type':'set','values':{'a':{'b':[1,'= x +']}},'next':'done'", "steps.s.values.a.b[1]",
        "the end of the expression")]
    [InlineData("'type':'decide','cases':[],'otherwise':'done'", "steps.s.cases", "at least 1, but found an empty one")]
    [InlineData("'type':'decide','cases':[{'when':true,'next':'done'}],'otherwise':'done'", "steps.s.cases[0].when",
        "Expected a text, but found true")]
    [InlineData("'type':'fork','branches':'Zoë \\uD83D\\uDE00 <b>','join':'done'", "steps.s.branches",
        "but found \"Zoë 😀 <b>\"")]
    [InlineData("'type':'decide','cases':['x'],'otherwise':'done'", "steps.s.cases[0]", "Expected an object")]
    [InlineData("'type':'waitSignal','signal':'a b','next':'done'", "steps.s.signal", "'a b' is not a name")]
    [InlineData("'type':'waitSignal','signal':'a','correlation':7,'next':'done'", "steps.s.correlation",
        "Expected a text, but found 7")]
    [InlineData("'type':'waitSignal','signal':'a','correlation':'','next':'done'", "steps.s.correlation",
        "is empty; give 1 to 512")]
    [InlineData("'type':'waitSignal','signal':'a','correlation':'= \\'\\\\u0000\\'','next':'done'",
        "steps.s.correlation", "U+0000")]
    [InlineData("'type':'task','assignee':'a\\u0000','next':'done'", "steps.s.assignee", "U+0000")]
    [InlineData(
        "'type':'delay','until':'9999-12-31T23:59:59Z','next':'done'", "steps.s.until", "the latest is 9000-01-01")]
    [InlineData("'type':'waitSignal','signal':'a','onTimeout':'done','next':'done'", "steps.s",
        "'onTimeout' is given without 'timeout'")]
    [InlineData("'type':'waitSignal','signal':'a','timeout':'= x','onTimeout':'done','next':'done'", "steps.s.timeout",
        "is a constant")]
    [InlineData("'type':'waitSignal','signal':'a','timeout':30,'onTimeout':'done','next':'done'", "steps.s.timeout",
        "Expected a text, but found 30")]
    [InlineData("'type':'waitSignal','signal':'a','result':'a.b','next':'done'", "steps.s.result",
        "not the name of a variable")]
    [InlineData("'type':'waitSignal','signal':'a','result':'in','next':'done'", "steps.s.result", "keyword")]
    [InlineData("'type':'delay','next':'done'", "steps.s", "needs 'duration'")]
    [InlineData("'type':'delay','duration':'PT1S','until':'= x','next':'done'", "steps.s", "both given")]
    [InlineData("'type':'delay','duration':'2 s','next':'done'", "steps.s.duration", "not an ISO 8601 duration")]
    [InlineData("'type':'delay','duration':'= \\'-PT1S\\'','next':'done'", "steps.s.duration", "negative")]
    [InlineData("'type':'delay','duration':'= 1 + 1','next':'done'", "steps.s.duration", "always gives 2")]
    [InlineData("'type':'delay','until':'tomorrow','next':'done'", "steps.s.until", "not an ISO 8601 instant")]
    [InlineData("'type':'task','groups':[''],'next':'done'", "steps.s.groups[0]", "is empty; give 1 to 256 characters")]
    [InlineData("'type':'task','groups':['a',7],'next':'done'", "steps.s.groups[1]", "Expected a text, but found 7")]
    [InlineData("'type':'task','groups':'a','next':'done'", "steps.s.groups", "Expected a list")]
    [InlineData("'type':'invoke','activity':'ehco','next':'done'", "steps.s.activity", "Did you mean 'echo'?")]
    [InlineData(
        "'type':'invoke','activity':'echo','retry':{},'next':'done'", "steps.s.retry.maxAttempts", "is missing")]
    [InlineData(
        "'type':'invoke','activity':'echo','retry':{'maxAttempts':0},'next':'done'", "steps.s.retry.maxAttempts",
        "whole number from 1")]
    [InlineData("'type':'invoke','activity':'echo','retry':{'maxAttempts':1,'backoff':0.5},'next':'done'",
        "steps.s.retry.backoff",
        "from 1 to 100")]
    [InlineData("'type':'invoke','activity':'echo','retry':{'maxAttempts':1,'initialInterval':'-PT1S'},'next':'done'",
        "steps.s.retry.initialInterval", "negative")]
    [InlineData("'type':'call','definition':'p','version':1.5,'next':'done'", "steps.s.version", "but found 1.5")]
    [InlineData(
        "'type':'raise','event':'E','payload':null,'next':null", "steps.s.next", "null (leave the member out instead)")]
    [InlineData(
        "'type':'raise','event':'E','payload':1e40,'next':'done'", "steps.s.payload", "outside the range of a decimal")]
    [InlineData("'type':'raise','event':'E','payload':[6.62607015e-34],'next':'done'", "steps.s.payload[0]",
        "The number 6.62607015e-34")]
    [InlineData("'type':'raise','event':'E','payload':'\\ud800','next':'done'", "steps.s.payload", "surrogate")]
    [InlineData("'type':'raise','event':'E','payload':{'a':1,'a':2},'next':'done'", "steps.s.payload.a", "given twice")]
    [InlineData("'type':'end','terminate':'yes'", "steps.s.terminate", "Expected true or false")]
    [InlineData("'type':'fail'", "steps.s.error", "is missing")]
    [InlineData("'type':'end','title':''", "steps.s.title", "is empty; give 1 to 256")]
    [InlineData("'type':'end','title':{'en':'End'}", "steps.s.title", "Expected a text, but found an object")]
    [InlineData("'type':'end','documentation':'a\\u0000'", "steps.s.documentation", "U+0000")]
    [InlineData("'type':'end','source':{}", "steps.s.source", "A source is an object with at least one member of")]
    [InlineData(
        "'type':'end','source':'order.bpmn'", "steps.s.source", "A source is an object with at least one member of")]
    [InlineData("'type':'end','source':{'line':0}", "steps.s.source.line", "whole number from 1")]
    [InlineData("'type':'end','source':{'column':1}", "steps.s.source.column",
        "A source has no member 'column'. Its members are: document")]
    [InlineData("'type':'set','values':{}", "steps.s.next", "'next' is missing; a step of type 'set' needs it")]
    [InlineData("'kind':'set'", "steps.s.type", "missing or no text; known are: call")]
    [InlineData("'type':'fork','branches':[],'join':'done'", "steps.s.branches", "at least 1")]
    [InlineData("'type':'fail','error':'x','code':''", "steps.s.code", "is empty; give 1 to 128")]
    [InlineData("'type':'fail','error':'x','code':7", "steps.s.code", "Expected a text, but found 7")]
    [InlineData("'type':'invoke','activity':'echo','errorResult':'e','next':'done'", "steps.s",
        "'errorResult' is given without 'onError'")]
    [InlineData(
        "'type':'call','definition':'p','onError':'done','errorResult':'a.b','next':'done'", "steps.s.errorResult",
        "not the name of a variable")]
    [InlineData("'type':'inclusive','cases':[],'otherwise':'done','join':'done'", "steps.s.cases",
        "at least 1, but found an empty one")]
    [InlineData(
        "'type':'inclusive','cases':[{'when':'a','next':'done'},{'when':'b','next':'done'}],'otherwise':'done','join':'done'",
        "steps.s.cases[1].next", "The branch 'done' is given twice")]
    [InlineData(
        "'type':'inclusive','cases':[{'when':'a','next':'done'}],'join':'done'", "steps.s.otherwise", "is missing")]
    [InlineData("'type':'waitFirst','events':[]", "steps.s.events", "at least 1, but found an empty one")]
    [InlineData("'type':'waitFirst','events':['x']", "steps.s.events[0]", "Expected an object such as")]
    [InlineData(
        "'type':'waitFirst','events':[{'next':'done'}]", "steps.s.events[0]", "An event needs 'signal', or 'duration'")]
    [InlineData("'type':'waitFirst','events':[{'signal':'a','until':'= x','next':'done'}]", "steps.s.events[0]",
        "'signal' and 'until' are given together")]
    [InlineData(
        "'type':'waitFirst','events':[{'duration':'PT1S','result':'a','next':'done'}]", "steps.s.events[0].result",
        "'result' belongs to a signal, but the event has 'duration'")]
    [InlineData("'type':'waitFirst','events':[{'signal':'a','next':'done','interrupting':false}]",
        "steps.s.events[0].interrupting",
        "A signal or time has no member 'interrupting'")]
    [InlineData("'type':'waitFirst','events':[{'duration':'1 h','next':'done'}]", "steps.s.events[0].duration",
        "not an ISO 8601 duration")]
    [InlineData("'type':'task','next':'done','boundary':[{'signal':'a','interrupting':1,'next':'done'}]",
        "steps.s.boundary[0].interrupting",
        "Expected true or false")]
    [InlineData("'type':'task','next':'done','boundary':[{'signal':'a','next':'gone'}]", "steps.s.boundary[0].next",
        "which is no step")]
    [InlineData("'type':'callEach','definition':'p','next':'done'", "steps.s",
        "A callEach needs 'items', e.g. \"= order.lines\", or 'count'")]
    [InlineData("'type':'callEach','definition':'p','items':'= a','count':2,'next':'done'", "steps.s",
        "'items' and 'count' are both given")]
    [InlineData("'type':'callEach','definition':'p','count':2,'item':'x','next':'done'", "steps.s.item",
        "'item' belongs to 'items'")]
    [InlineData("'type':'callEach','definition':'p','items':[],'index':'item','next':'done'", "steps.s.index",
        "the same name 'item'")]
    [InlineData("'type':'callEach','definition':'p','items':[],'item':'index','next':'done'", "steps.s.item",
        "the same name 'index'")]
    [InlineData("'type':'callEach','definition':'p','items':'a','next':'done'", "steps.s.items",
        "Expected a list, but found \"a\"")]
    [InlineData("'type':'callEach','definition':'p','count':1001,'next':'done'", "steps.s.count",
        "from 0 to 1000, but found 1001")]
    [InlineData("'type':'callEach','definition':'p','count':'= 1 / 2','next':'done'", "steps.s.count",
        "from 0 to 1000, but found 0.5")]
    [InlineData("'type':'callEach','definition':'p','count':1,'maxConcurrency':0,'next':'done'",
        "steps.s.maxConcurrency", "from 1 to")]
    [InlineData("'type':'callEach','definition':'p','count':1,'completionCondition':'= a +','next':'done'",
        "steps.s.completionCondition", "")]
    [InlineData("'type':'subProcess','next':'done'", "steps.s.start", "'start' is missing")]
    [InlineData("'type':'subProcess','start':'nowhere','next':'done'", "steps.s.start",
        "Step 's' leads to 'nowhere', which is no step")]
    [InlineData("'type':'subProcess','start':'s','next':'done'", "steps.s.start",
        "Step 's' leads to step 's' inside sub-process 's'")]
    [InlineData("'type':'subProcess','start':'done','next':'done'", "steps.s.start",
        "Step 's' leads to step 'done' inside sub-process 's'")]
    [InlineData("'type':'subProcess','start':'s','next':'done','boundary':[]", "steps.s.boundary",
        "with at least 1, but found an empty one")]
    [InlineData(
        "'type':'subProcess','start':'s','next':'done','result':'r'", "steps.s.result", "has no member 'result'")]
    [InlineData(
        "'type':'delay','duration':'PT1S','next':'done','boundary':[]", "steps.s.boundary", "has no member 'boundary'")]
    public void A_bad_member_is_refused_at_its_path(string step, string path, string message)
    {
        var route =
            "'start':{'type':'decide','cases':[{'when':'a','next':'s'}],'otherwise':'done'},'done':{'type':'end'}";
        var errors = Compile.Steps("start", $"{route},'s':{{{step}}}".Replace('\'', '"')).Errors;

        var error = Assert.Single(errors, error => error.Path == path);
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "not JSON")]
    [InlineData("nonsense", "not JSON at line 1, column 2")]
    [InlineData("{'name':'a',}", "not JSON at line 1")]
    [InlineData("[]", "A definition is a JSON object")]
    [InlineData("{'name':'a'} x", "not JSON")]
    public void Body_that_is_not_an_object_is_refused(string body, string message)
    {
        var error = Compile.OnlyError(Compile.Json(body.Replace('\'', '"')));

        Assert.Equal("", error.Path);
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_body_that_is_not_UTF8_is_refused() =>
        Assert.Contains("UTF-8",
            Compile.OnlyError(DefinitionCompiler.Compile(new byte[] { 0x7b, 0xff, 0x7d }, Compile.Rules)).Message,
            StringComparison.Ordinal);

    [Fact]
    public void Definition_with_a_byte_order_mark_is_read()
    {
        byte[] body = [.. Encoding.UTF8.Preamble, .. Fixtures.Read("definitions", "order.json")];

        Assert.Empty(DefinitionCompiler.Compile(body, Compile.Rules).Errors);
    }

    [Fact]
    public void Deep_JSON_is_refused() =>
        Assert.Contains(
            "depth of 64", Compile.OnlyError(Compile.Json(new string('[', 65) + new string(']', 65))).Message,
            StringComparison.Ordinal);

    [Theory]
    [InlineData(1000, 0), InlineData(1001, 1)]
    public void At_most_a_thousand_steps_are_accepted(int count, int errors)
    {
        var steps = Enumerable.Range(1, count - 1).Select(i => $$"""
            "s{{i}}":{"type":"set","values":{},"next":"s{{i + 1}}"}
            """);
        var compilation = Compile.Steps("s1", string.Join(',', steps.Append($$"""
            "s{{count}}":{"type":"end"}
            """)));

        Assert.Equal(errors, compilation.Errors.Count);
        Assert.All(
            compilation.Errors, error => Assert.Contains("found 1001 steps", error.Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("'name':'a','version':1,'start':'s','steps':{}", "steps", "found 0 steps")]
    [InlineData("'name':'a','version':0,'start':'s','steps':{'s':{'type':'end'}}", "version", "whole number from 1")]
    [InlineData("'name':'a','version':'1','start':'s','steps':{'s':{'type':'end'}}", "version", "whole number from 1")]
    [InlineData("'name':'','version':1,'start':'s','steps':{'s':{'type':'end'}}", "name", "is not a name")]
    [InlineData("'name':'a','start':'s','steps':{'s':{'type':'end'}}", "version", "'version' is missing")]
    [InlineData(
        "'name':'a','version':1,'start':'t','steps':{'s':{'type':'end'}}", "start", "starts at 't', which is no step")]
    [InlineData("'name':'a','version':1,'steps':{'s':{'type':'end'}}", "start", "'start' is missing")]
    [InlineData(
        "'name':'a','version':1,'start':'s','startOn':[],'steps':{'s':{'type':'end'}}", "startOn", "at least 1")]
    [InlineData("'name':'a','version':1,'start':'s','startOn':[{'signal':'x y'}],'steps':{'s':{'type':'end'}}",
        "startOn[0].signal",
        "'x y' is not a name")]
    [InlineData(
        "'name':'a','version':1,'start':'s','startOn':[{'signal':'x'},{'signal':'x','result':'r'}],'steps':{'s':{'type':'end'}}",
        "startOn[1].signal", "given twice")]
    [InlineData("'name':'a','version':1,'start':'s','steps':{'s':{'type':'end'}},'owner':'me'", "owner",
        "has no member 'owner'")]
    [InlineData("'name':'a','version':1,'start':'s','steps':{'s':'end'}", "steps.s", "A step is an object")]
    [InlineData(
        "'name':'a','version':1,'start':'s s','steps':{'s s':{'type':'end'}}", "steps['s s']", "'s s' is not a name")]
    public void A_bad_definition_is_refused_at_its_path(string members, string path, string message)
    {
        var error = Compile.OnlyError(Compile.Json($"{{{members}}}".Replace('\'', '"')));

        Assert.Equal(path, error.Path);
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("assignee", 256, ""), InlineData("groups", 256, "")]
    [InlineData("assignee", 257, "has 257 characters"), InlineData("groups", 257, "has 257 characters")]
    [InlineData("assignee", -4096, ""), InlineData("groups", -4096, "")]
    [InlineData("assignee", -4097, "4097"), InlineData("groups", -4097, "4097")]
    public void Group_is_as_long_as_an_assignee_its_expression_as_any(string member, int length, string message)
    {
        var text = length > 0 ? new string('n', length) : "= if a then b else c".PadRight(-length);
        var value = member == "groups" ? $"['a','{text}']" : $"'{text}'";

        var errors = Compile.Steps(
            "s", $"'s':{{'type':'task','{member}':{value},'next':'done'}},'done':{{'type':'end'}}".Replace(
                '\'', '"')).Errors;

        Assert.Equal(message.Length == 0 ? [] : [member == "groups" ? "steps.s.groups[1]" : "steps.s.assignee"],
            errors.Select(error => error.Path));
        Assert.All(errors, error => Assert.Contains(message, error.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void Without_known_activities_none_is_checked() =>
        Assert.NotNull(
            DefinitionCompiler.Compile(
                Fixtures.Read("definitions", "invalid", "unknown-activity.json"), new DefinitionRules()).Definition);

    [Fact]
    public void Hundreds_of_errors_are_cut_with_their_number()
    {
        var members = string.Join(',', Enumerable.Range(0, 500).Select(i => $"\"x{i}\":1"));
        var errors = Compile.Json($"{{{members}}}").Errors;

        Assert.Equal(DefinitionCompiler.MaxErrors, errors.Count);
        Assert.Equal("305 more errors are not listed; correct these first.", errors[^1].Message);
    }
}
