namespace UnitTests.Workflow.Expressions;

/// <summary>
/// The table of src/Workflow/Bpmn/Feel.md: what gives the values of the standard, what gives others, and what is
/// refused. Expected values are those of DMN 1.5, chapter 10.3, written as JSON.
/// </summary>
public sealed class FeelTests
{
    private const string Variables = """
        { "net": 7, "price": 10, "amount": 3, "t": "foobar", "names": ["Zoë"], "list": [10, 20, 30], "one": ["foobar"], "flag": true, "n": 2,
          "orders": [{ "id": 1, "tags": ["a"] }, { "id": 2 }], "order": { "id": 1 }, "no": null, "horse": "🐎ab" }
        """;

    [Theory]
    [InlineData("{net: price * amount, gross: net * 1.2}", """{"net":30,"gross":36.0}""")]
    [InlineData("{net: net + 1, gross: net * 2}", """{"net":8,"gross":16}""")]
    [InlineData("{a: 1, b: {a: a + 1, c: a}, d: a}", """{"a":1,"b":{"a":2,"c":2},"d":1}""")]
    [InlineData("{a: 1, b: {c: {d: a + net}}}", """{"a":1,"b":{"c":{"d":8}}}""")]
    [InlineData("{net: 1}.net + net", "8")]
    [InlineData("[{net: 1, b: net}, {b: net}]", """[{"net":1,"b":1},{"b":7}]""")]
    [InlineData("{a: 1, b: sum([a, {a: a + 1}.a]), c: if a = 1 then -a else net}", """{"a":1,"b":3,"c":-1}""")]
    [InlineData("{a: b, b: 1}", """{"a":null,"b":1}""")]
    [InlineData("{\"net\": 1, \"in all\": net, c: `in all`}", """{"net":1,"in all":1,"c":1}""")]
    [InlineData("{list: [4, 5], n: 1, x: list[n], y: 5 in list, z: n in [1..2]}",
        """{"list":[4,5],"n":1,"x":4,"y":true,"z":true}""")]
    [InlineData("{a: {b: 2}, c: a.b, d: order.id}", """{"a":{"b":2},"c":2,"d":1}""")]
    [InlineData("{a: 1, b: 2, c: 3, d: 4, e: 5, f: a + b + c + d + e, g: f + a}",
        """{"a":1,"b":2,"c":3,"d":4,"e":5,"f":15,"g":16}""")]
    public void Entry_sees_those_before_it(string source, string expected) => Gives(source, expected);

    [Fact]
    public void Context_entry_is_not_a_variable()
    {
        var expression = Evaluate.Compiled("= {a: b, b: 1, c: a + b + `d e`}.a + a");

        Assert.Equal(["a", "b", "d e"], expression.Variables.Order());
        Assert.Equal(
            [("b", 6, 1), ("d e", 26, 5), ("a", 37, 1)],
            expression.References.Select(reference => (reference.Name, reference.Start, reference.Length)));
    }

    [Theory]
    [InlineData("contains(string(names), \"Zoë\")", "true")]
    [InlineData("string length(string([\"é\"]))", "5")]
    [InlineData("string length(string([\"😀\"]))", "5")]
    [InlineData(
        "string([\"<b> & 'x' +\", \"\u00A0\u2028\u0085\"])", "\"[\\\"<b> & 'x' +\\\",\\\"\u00A0\u2028\u0085\\\"]\"")]
    [InlineData("string({\"é😀\": [1.5, true, null, {}]})", "\"{\\\"é😀\\\":[1.5,true,null,{}]}\"")]
    [InlineData("string([\"a\\\"b\\\\c\\n\\u0001\"])", "\"[\\\"a\\\\\\\"b\\\\\\\\c\\\\n\\\\u0001\\\"]\"")]
    [InlineData("string(\"<é😀>\")", "\"<é😀>\"")]
    [InlineData("string([])", "\"[]\"")]
    public void Text_of_a_value_has_its_characters(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("substring(t, 3)", "\"obar\""), InlineData("substring(t, 3, 3)", "\"oba\""),
        InlineData("substring(t, -2, 1)", "\"a\"")]
    [InlineData("substring(t, -6, 6)", "\"foobar\""), InlineData("substring(t, 3, 3.8)", "\"oba\""),
        InlineData("substring(t, 6)", "\"r\"")]
    [InlineData("substring(t, 0)", "null"), InlineData("substring(t, 7)", "null"),
        InlineData("substring(t, -7)", "null")]
    [InlineData("substring(t, 1, 0)", "null"), InlineData("substring(t, 1, -1)", "null"),
        InlineData("substring(t, 1.5)", "null")]
    [InlineData("substring(t, 1, no)", "null"), InlineData("substring(\"\", 1)", "null"),
        InlineData("substring(horse, 2)", "\"ab\"")]
    [InlineData("substring(one, 3)", "\"obar\""), InlineData("substring(horse, -3, 1)", "\"🐎\"")]
    [InlineData("string length(\"\")", "0"), InlineData("string length(horse)", "3"),
        InlineData("string length(one)", "6")]
    [InlineData("string length(list)", "null"), InlineData("string length(no)", "null"),
        InlineData("string length(\"\\U01F40Eab\")", "3")]
    [InlineData("upper case(\"aBc4\")", "\"ABC4\""), InlineData("lower case(\"aBc4\")", "\"abc4\""),
        InlineData("upper case(one)", "\"FOOBAR\"")]
    [InlineData("upper case(5)", "null"), InlineData("lower case(no)", "null")]
    [InlineData("contains(t, \"of\")", "false"), InlineData("contains(t, \"\")", "true"),
        InlineData("contains(\"\", \"ab\")", "false")]
    [InlineData("contains(one, \"oba\")", "true"), InlineData("contains(t, one)", "true"),
        InlineData("contains(list, 20)", "null")]
    [InlineData("contains(t, no)", "null"), InlineData("contains(no, \"a\")", "null")]
    [InlineData("starts with(t, \"fo\")", "true"), InlineData("starts with(t, no)", "null"),
        InlineData("starts with(1, \"a\")", "null")]
    [InlineData("ends with(t, \"r\")", "true"), InlineData("ends with(t, \"f\")", "false"),
        InlineData("ends with(one, \"bar\")", "true")]
    [InlineData("string(1.1)", "\"1.1\""), InlineData("string(null)", "null"), InlineData("string(true)", "\"true\"")]
    [InlineData("\"a\" + \"b\"", "\"ab\""), InlineData("\"a\" + 1", "null"), InlineData("\"a\" + no", "null"),
        InlineData("\"a\" - \"a\"", "null")]
    [InlineData("\"10\" * 10", "null"), InlineData("-\"10\"", "null"), InlineData("\"\\U01F40E\" = \"🐎\"", "true")]
    [InlineData("\"a\" < \"b\"", "true"), InlineData("\"Z\" < \"a\"", "true"), InlineData("\"a\" < \"ab\"", "true"),
        InlineData("\"a\" < \"\"", "false")]
    [InlineData("\"！\" < \"😀\"", "true"), InlineData("max(\"！\", \"😀\")", "\"😀\""), InlineData("\"a\" >= 1", "null")]
    public void Texts(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("10 / 4", "2.5"), InlineData("5 ** -2", "0.04"), InlineData("-5 ** 2", "25"),
        InlineData("3 ** 4 ** 5", "3486784401")]
    [InlineData("--10", "10"), InlineData("100 / 0", "null"), InlineData("-0 = 0", "true"),
        InlineData("0 = 0.00", "true")]
    [InlineData("10 * [10]", "null"), InlineData("[10] + 1", "null"), InlineData("-[10]", "null"),
        InlineData("true + true", "null")]
    [InlineData("1 + no", "null"), InlineData("no - no", "null"), InlineData("no * 2", "null"),
        InlineData("2 / no", "null"), InlineData("no ** 2", "null")]
    [InlineData("-no", "null"), InlineData("1.2345 + 2.234", "3.4685"), InlineData(".5 + 1", "1.5"),
        InlineData("1.23e4", "12300")]
    [InlineData("1.23e+4", "12300"), InlineData("1.23E-4", "0.000123")]
    [InlineData("abs(-10)", "10"), InlineData("abs([-1])", "1"), InlineData("abs(\"1\")", "null"),
        InlineData("abs(no)", "null")]
    [InlineData("floor(1.5)", "1"), InlineData("floor(-1.5)", "-2"), InlineData("floor(\"1.5\")", "null"),
        InlineData("floor(no)", "null")]
    [InlineData("ceiling(1.5)", "2"), InlineData("ceiling(-1.5)", "-1"), InlineData("ceiling(-0.5)", "0"),
        InlineData("ceiling([1.2])", "2")]
    public void Numbers(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("no = null", "true"), InlineData("no != null", "false"), InlineData("false = null", "false"),
        InlineData("false = 0", "null")]
    [InlineData("100 = \"100\"", "null"), InlineData("100 != \"100\"", "null"), InlineData("[] = 0", "null"),
        InlineData("{} = []", "null")]
    [InlineData("[] = null", "false"), InlineData("[1, 2] = [2, 1]", "false"), InlineData("[1, 1] = [1]", "false"),
        InlineData("[1] = 1", "null")]
    [InlineData("{a: 1, b: 2} = {b: 2.0, a: 1}", "true"), InlineData("{a: 1} = {\"a\": 1, b: 2}", "false"),
        InlineData("\"a\" = \"A\"", "false")]
    [InlineData("1 < no", "null"), InlineData("true < false", "null"), InlineData("[1] < [2]", "null"),
        InlineData("1 <= \"1\"", "null")]
    [InlineData("no between 1 and 10", "null"), InlineData("2 between no and 10", "null"),
        InlineData("0 between 1 and no", "false")]
    [InlineData("\"c\" between \"b\" and \"d\"", "true"), InlineData("10 between 1 and 10", "true")]
    [InlineData("1 in [2, 3, 1]", "true"), InlineData("1 in []", "false"), InlineData("true in [false, 2, 3]", "false"),
        InlineData("no in [1, null]", "true")]
    [InlineData("[1, 2] in [[1, 2], 3]", "true"), InlineData("{a: 1} in [{b: 1}, {a: 1}]", "true"),
        InlineData("1 in 1", "true"), InlineData("1 in \"1\"", "null")]
    [InlineData("no in 1", "false"), InlineData("2 in (2..4)", "false"), InlineData("4 in (2..4]", "true"),
        InlineData("2 in [2..4)", "true")]
    [InlineData("no in [1..10]", "null"), InlineData("5 in [1..no]", "null"),
        InlineData("\"b\" in [\"a\"..\"c\"]", "true"), InlineData("2 in (2)", "true")]
    public void Comparisons(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("true and no", "null"), InlineData("false and no", "false"), InlineData("no and false", "false"),
        InlineData("no and no", "null")]
    [InlineData("true and 123", "null"), InlineData("\"true\" and false", "false"), InlineData("0 and 0", "null"),
        InlineData("true and [true]", "null")]
    [InlineData("true or no", "true"), InlineData("no or true", "true"), InlineData("false or no", "null"),
        InlineData("1 or true", "true")]
    [InlineData("false or \"true\"", "null"), InlineData("not(true)", "false"), InlineData("not(no)", "null"),
        InlineData("not(0)", "null")]
    [InlineData("not(\"true\")", "null"), InlineData("not([false])", "true"), InlineData("if no then 1 else 2", "2"),
        InlineData("if 1 then 1 else 2", "2")]
    [InlineData("if \"true\" then 1 else 2", "2"), InlineData("if flag then 1 else 2", "1"),
        InlineData("if [true] then 1 else 2", "2")]
    public void Logic(string source, string expected) => Gives(source, expected);

    [Theory]
    [InlineData("list[1]", "10"), InlineData("list[-1]", "30"), InlineData("list[0]", "null"),
        InlineData("list[4]", "null"), InlineData("list[-4]", "null")]
    [InlineData("list[1.5]", "null"), InlineData("list[n]", "20"), InlineData("no[1]", "null"),
        InlineData("100[1]", "100"), InlineData("\"foo\"[-1]", "\"foo\"")]
    [InlineData("true[0]", "null"), InlineData("order[1].id", "1"), InlineData("100[2]", "null"),
        InlineData("list[true]", "[10,20,30]")]
    [InlineData("list[false]", "[]"), InlineData("\"foo\"[true]", "[\"foo\"]"), InlineData("100[false]", "[]")]
    [InlineData("orders.id", "[1,2]"), InlineData("orders.tags", "[[\"a\"],null]"),
        InlineData("[{b: [1]}, {b: [4, 5]}].b", "[[1],[4,5]]")]
    [InlineData("order.x", "null"), InlineData("no.x", "null"), InlineData("1.5.x", "null"), InlineData("[].x", "[]")]
    [InlineData("list contains(list, 20)", "true"), InlineData("list contains(list, no)", "false"),
        InlineData("list contains([1, null], null)", "true")]
    [InlineData("list contains([[1]], 1)", "false"), InlineData("list contains([[1]], [1])", "true"),
        InlineData("list contains(no, 1)", "null")]
    [InlineData("count(list)", "3"), InlineData("count([])", "0"), InlineData("count([1, [2, 3]])", "2"),
        InlineData("count(no)", "null"), InlineData("count([null])", "1")]
    [InlineData("min(list)", "10"), InlineData("max(1, 2, 3)", "3"), InlineData("min(1)", "1"),
        InlineData("min([1])", "1"), InlineData("max([])", "null")]
    [InlineData("max(no)", "null"), InlineData("max([1, null])", "null"), InlineData("max(1, \"a\")", "null"),
        InlineData("min([\"b\", \"a\"])", "\"a\"")]
    [InlineData("sum(list)", "60"), InlineData("sum(1, 2, 3)", "6"), InlineData("sum(1)", "1"),
        InlineData("sum([])", "null"), InlineData("sum([1, null])", "null")]
    [InlineData("sum(no)", "null"), InlineData("sum(\"a\", \"b\")", "null")]
    public void Lists(string source, string expected) => Gives(source, expected);

    /// <summary>Each has a line in the table.</summary>
    [Theory]
    [InlineData("1 / 3", "0.3333333333333333333333333333"), InlineData("2 ** 0.5", "1.4142135623731"),
        InlineData("10 ** 29", "null")]
    [InlineData("string(1.50)", "\"1.5\""), InlineData("string([1, \"a\"])", "\"[1,\\\"a\\\"]\""),
        InlineData("substring(t, 5, 9)", "\"ar\"")]
    [InlineData("upper case(\"ß\")", "\"ß\""), InlineData("count(5)", "1"), InlineData("list[t]", "null"),
        InlineData("1 in no", "null")]
    [InlineData("1 in [[1, 2]]", "false"), InlineData("[1, \"a\"] = [1, 2]", "false"), InlineData("\"\\/\"", "\"/\"")]
    [InlineData("number(\"1.5\")", "1.5"), InlineData("number(1.5)", "1.5"), InlineData("a-b", "null")]
    [InlineData("round(2.5)", "3"), InlineData("round(-2.5)", "-3"), InlineData("concat(\"a\", \"b\")", "\"ab\""),
        InlineData("concat([1], [2])", "[1,2]")]
    [InlineData("length(list)", "3"), InlineData("upper(\"a\")", "\"A\""), InlineData("lower(\"A\")", "\"a\""),
        InlineData("coalesce(no, 1)", "1")]
    public void Different_from_the_standard_as_the_table_says(string source, string expected) =>
        Gives(source, expected);

    public static TheoryData<string> NotHere => new(
        "date(\"2020-01-01\")", "time(\"10:00:00\")", "date and time(\"2020-01-01T10:00:00\")", "duration(\"P1D\")",
        "context([])",
        "years and months duration(a, b)", "substring before(t, \"b\")", "substring after(t, \"b\")",
        "replace(t, \"o\", \"a\")",
        "matches(t, \"^f\")", "split(t, \"o\")", "string join(names)", "mean(list)", "all(list)", "any(list)",
        "sublist(list, 1)",
        "append(list, 1)", "concatenate(list, list)", "insert before(list, 1, 2)", "remove(list, 1)",
        "list replace(list, 1, 2)",
        "reverse(list)", "index of(list, 1)", "union(list, list)", "distinct values(list)", "flatten(list)",
        "product(list)", "median(list)",
        "stddev(list)", "mode(list)", "decimal(1.5, 0)", "round up(1.5, 0)", "round down(1.5, 0)",
        "round half up(1.5, 0)",
        "round half down(1.5, 0)", "modulo(5, 3)", "sqrt(4)", "log(4)", "exp(4)", "odd(4)", "even(4)", "is(1, 1)",
        "before(1, 2)", "after(1, 2)",
        "meets(a, b)", "met by(a, b)", "overlaps(a, b)", "overlaps before(a, b)", "overlaps after(a, b)",
        "finishes(1, a)",
        "finished by(a, 1)", "includes(a, 1)", "during(1, a)", "starts(1, a)", "started by(a, 1)", "coincides(1, 1)",
        "day of year(a)",
        "day of week(a)", "month of year(a)", "week of year(a)", "sort(list, f)", "get value(order, \"id\")",
        "get entries(order)",
        "context put(order, \"id\", 1)", "context merge([order])", "range(\"[1..2]\")", "now()", "today()",
        "get or else(no, 1)", "function(x) x");

    [Theory]
    [MemberData(nameof(NotHere))]
    public void Function_that_is_not_here_is_refused_by_its_name(string call) => Assert.Contains(
        $"Unknown function '{call[..call.IndexOf('(', StringComparison.Ordinal)]}': FEEL has it",
        Evaluate.Refused($"1 + {call}").Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData("for x in list return x", "'for' over the items"),
        InlineData("some x in list satisfies x > 1", "'some' over the items")]
    [InlineData("every x in list satisfies x > 1", "'every' over the items"),
        InlineData("t instance of string", "'instance of' is not supported")]
    [InlineData("list[item > 1]", "Filters are not supported"), InlineData("orders[id = 1]", "Filters"),
        InlineData("orders[contains(id, t)]", "Filters")]
    [InlineData("list[not(flag)]", "Filters"), InlineData("list[if flag then n > 1 else n < 1]", "Filters")]
    [InlineData("list[list contains(list, n)]", "Filters"), InlineData("@\"2020-01-01\"", "no literals"),
        InlineData("[1..2]", "only after 'in'")]
    [InlineData("1 in (1, 2)", "write a list"), InlineData("1 in < 2", "write x < y"),
        InlineData("1 in [[1..2]]", "only after 'in'")]
    [InlineData("1 in ]1..2[", "found ']'"), InlineData("substring(string: t, length: 1)", "Named arguments"),
        InlineData("1 // one", "Comments")]
    [InlineData("1 /* one */", "Comments"), InlineData("floor(1.56, 1)", "takes 1 argument"),
        InlineData("ceiling(1.56, 1)", "takes 1 argument")]
    [InlineData("number(\"1,0\", \".\", \",\")", "takes 1 argument"), InlineData("count(1, 2)", "takes 1 argument"),
        InlineData("first name", "found 'name'")]
    [InlineData("{first name: 1}", "Expected ':'"), InlineData("{a: 1, a: 2}", "given twice"),
        InlineData("\"a\\d\"", "Unknown escape")]
    [InlineData("\"\\U110000\"", "six hexadecimal digits"), InlineData("\"\\U00D83D\"", "six hexadecimal digits"),
        InlineData("?", "'?'")]
    [InlineData("1 = 2 = 3", "do not chain"), InlineData("if flag then 1", "Expected 'else'")]
    public void Refused_with_what_it_is(string source, string part) =>
        Assert.Contains(part, Evaluate.Refused(source).Message, StringComparison.Ordinal);

    private static void Gives(string source, string expected) =>
        Assert.Equal(Value.Parse(expected), Evaluate.Over(source, Variables));
}
