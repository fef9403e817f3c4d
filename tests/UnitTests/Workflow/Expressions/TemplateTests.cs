using Workflow.Abstractions.Expressions;

namespace UnitTests.Workflow.Expressions;

/// <summary>JSON with expressions in it.</summary>
public sealed class TemplateTests
{
    [Theory]
    [InlineData("""{"id":"= orderId","nested":[1,{"up":"=upper(orderId)"},"plain"],"n":null}""",
        """{"id":"o-1","nested":[1,{"up":"O-1"},"plain"],"n":null}""")]
    [InlineData("\"= missing\"", "null")]
    [InlineData("\" = orderId\"", "\" = orderId\"")]
    [InlineData("\"=\\\"=literal\\\"\"", "\"=literal\"")]
    [InlineData("{\"= orderId\":1}", "{\"= orderId\":1}")]
    [InlineData("7", "7")]
    [InlineData("{}", "{}")]
    [InlineData("[]", "[]")]
    public void Texts_that_begin_with_an_equals_sign_are_evaluated(string json, string expected)
    {
        var variables = Value.Parse("""{"orderId":"o-1"}""").AsContext();

        Assert.Equal(Value.Parse(expected), Compiled(json).Evaluate(variables));
    }

    [Fact]
    public void A_template_without_variables_is_evaluated_once()
    {
        var template = Compiled("""{"a":[1,"= 1 + 1",{"b":"x"}]}""");
        var none = new Dictionary<string, Value>();

        Assert.Empty(template.Variables);
        Assert.Same(template.Evaluate(none).AsContext(), template.Evaluate(none).AsContext());
    }

    [Fact]
    public void Variables_and_source_are_those_of_the_whole()
    {
        var template = Compiled("""{"a":["= x.y","= z"],"b":"= x"}""");

        Assert.Equal(["x", "z"], template.Variables.Order());
        Assert.Equal("""{"a":["= x.y","= z"],"b":"= x"}""", template.Source);
    }

    [Fact]
    public void Every_error_is_reported_with_its_path_and_column()
    {
        using var document = JsonDocument.Parse("""{"a":["= 1 +"],"b c":"= f(x)","d":"= x"}""");
        List<DefinitionError> errors = [];

        Assert.Null(Template.TryCompile(document.RootElement, "steps.s.input", errors));
        Assert.Equal([("steps.s.input.a[0]", 6), ("steps.s.input['b c']", 3)],
            errors.Select(error => (error.Path, error.Column!.Value)));
    }

    [Fact]
    public void What_no_value_can_hold_is_refused()
    {
        using var document = JsonDocument.Parse("""{"a":1e40,"b":"\ud800","c":1,"c":2}""");
        List<DefinitionError> errors = [];

        Assert.Null(Template.TryCompile(document.RootElement, "x", errors));
        Assert.Equal(["x.a", "x.b", "x.c"], errors.Select(error => error.Path));
    }

    [Fact]
    public void A_template_outlives_its_document()
    {
        Template template;
        using (var document = JsonDocument.Parse("""{"a":"= x","b":"text"}"""))
        {
            template = Template.TryCompile(document.RootElement, "x", [])!;
        }

        Assert.Equal(Value.Parse("""{"a":null,"b":"text"}"""), template.Evaluate(new Dictionary<string, Value>()));
    }

    [Theory]
    [InlineData("""{"a":"= x","b":"= y"}""", """{"a": x, "b": y}""")]
    [InlineData("""{"a":"= b","b":"= a"}""", """context merge([{"a": b}, {"b": a}])""")]
    [InlineData("""{"a":1,"b":{"c":["= a"],"d":"= {a: 2, b: a}.b"}}""",
        """context merge([{"a": 1}, {"b": {"c": [a], "d": {a: 2, b: a}.b}}])""")]
    [InlineData("""{"é😀":"<b> & \n"}""", """{"é😀": "<b> & \n"}""")]
    public void Members_do_not_see_one_another_in_FEEL_either(string json, string expected)
    {
        using var document = JsonDocument.Parse(json);

        Assert.Equal(expected, TemplateText.Feel(document.RootElement));
    }

    private static Template Compiled(string json)
    {
        using var document = JsonDocument.Parse(json);
        List<DefinitionError> errors = [];
        return Template.TryCompile(document.RootElement, "here", errors)
            ?? throw new InvalidOperationException(string.Join(", ", errors));
    }
}
